#pragma once

#include <set>
#include <string>

#include "tidemark/extract/extract.h"
#include "tidemark/info/extract_info.h"
#include "tidemark/info/load_info.h"
#include "tidemark/info/normalize_info.h"
#include "tidemark/load/load_package.h"
#include "tidemark/workdir/package.h"

// What a step did, in the words of dlt's infos.
namespace tidemark::pipeline {

// Columns that never had a value: they are not in the schema.
std::set<normalize::ColumnKey> null_only_columns(const extract::Extracted& extracted);

void fill_extract_info(const extract::Extracted& extracted, const std::string& load_id,
                       info::ExtractInfo& info);
void fill_normalize_info(const workdir::PackageContent& content, const std::string& load_id,
                         info::NormalizeInfo& info);
// job_metrics, row_counts, bytes and losses. started_at and finished_at are set.
void fill_load_info(const workdir::SealedPackage& package, const load::LoadOutcome& outcome,
                    info::LoadInfo& info);

}  // namespace tidemark::pipeline
