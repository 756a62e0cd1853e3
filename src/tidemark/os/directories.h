#pragma once

#include "tidemark/os/environment.h"
#include "tidemark/os/files.h"

namespace tidemark::os {

// What the rules for directories depend on beside the environment.
struct Surroundings {
  Path current_directory = {};
  Path home_directory = {};
  Path temp_directory = {};
  bool is_superuser = false;
  bool is_home_writable = false;

  static Surroundings of_process(const Environment& environment);
};

// Where dlt 1.31 keeps things, so that both tools find each other's.
struct DltDirectories {
  Path run;        // $DLT_PROJECT_DIR, else the current directory
  Path settings;   // <run>/.dlt, the folder's name from $DLT_CONFIG_FOLDER
  Path local;      // $DLT_LOCAL_DIR, else the current directory: relative files of destinations
  Path global;     // of the user: secrets.toml and config.toml that every project shares
  Path data;       // $DLT_DATA_DIR, else global
  Path pipelines;  // <data>/pipelines
};

DltDirectories dlt_directories(const Environment& environment, const Surroundings& surroundings);

}  // namespace tidemark::os
