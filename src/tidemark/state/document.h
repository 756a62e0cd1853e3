#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tidemark/json/value.h"

namespace tidemark::state {

// What is stored for one state ID, as Meltano writes it: `{"completed": {...}, "partial": {...}}`.
// Each half is an object, `{"singer_state": {...}}` for a Singer pipeline, or null. Number text,
// key order and unknown keys survive.
struct Document {
  json::Value completed = json::Object{};
  json::Value partial = json::Object{};
  // Further keys beside the two halves; kept where the store can hold them.
  json::Object others = {};

  bool operator==(const Document&) const = default;
};

// Meltano's merge: for each key of source, in order, an object goes into the object at that key of
// target, made when missing; any other value replaces. Nothing is ever deleted or concatenated.
// Error kInvalid with the path where source has members and target no object; target is then merged
// up to there.
void merge_into(json::Object& target, const json::Object& source);

// What Meltano's stores make of a save: a change with a completed half that is not empty replaces
// the document; any other merges its partial half into the stored one. Unknown keys stay, where
// Meltano loses them. A half that is null counts as empty. Error kInvalid as in merge_into().
Document updated(const std::optional<Document>& stored, const Document& change);

// What a run starts from and what `state get` shows: the partial half merged into the completed
// one. A half that is null counts as empty.
json::Value effective_state(const Document& document);

// Whether it holds no scalar but null at any depth (`{}`, `{"bookmarks": {}}`): such a state never
// replaces another.
bool is_empty_state(const json::Value& state);

// The bytes of a stored object. Read leniently, as Meltano does: absent halves are empty. Error
// kCorrupt when it is no JSON object.
Document read_document(std::string_view bytes);
// Meltano's bytes: `, ` and `: `, ASCII escapes, no newline at the end; numbers as their text.
std::string write_document(const Document& document);

}  // namespace tidemark::state
