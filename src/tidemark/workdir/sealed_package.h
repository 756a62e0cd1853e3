#pragma once

#include <string_view>

#include "tidemark/info/load_package.h"
#include "tidemark/workdir/layout.h"

namespace tidemark::workdir {

SealedPackage read_sealed_package(const Layout& layout, std::string_view load_id);

info::LoadPackageInfo read_package_info(const Layout& layout, PackageStage stage,
                                        std::string_view load_id, Time now);

}  // namespace tidemark::workdir
