# SPDX-License-Identifier: GPL-2.0-only
#
# kvmeter as one of the kernel's selftests. Included before anything is derived
# from the variables that have other names or values there:
#
#   ARCH=arm64 or x86                 the port, as the kernel calls it
#   OUTPUT=DIR                        programs in DIR, all else in DIR/build
#   KHDR_INCLUDES='-isystem DIR'      kernel headers
#   USERCFLAGS= USERLDFLAGS=          more flags of the host half
#
#   make install INSTALL_PATH=DIR     DIR as run_kselftest.sh wants it; that
#                                     script is taken from KSRC=, a kernel source
#   make gen_tar [INSTALL_PATH=DIR]   and packed; FORMAT=.xz or the like
#   make run_tests                    every benchmark without options, as TAP
#
# Below tools/testing/selftests, or called by the Makefile there, "install" fills
# the one directory that it is told, and "emit_tests" is asked for the list.

PORT_arm64 := aarch64
PORT_x86 := x86_64
override ARCH := $(or $(PORT_$(ARCH)),$(ARCH),$(shell uname -m))
# O is there, but empty, if that Makefile is called without it.
override O := $(if $(OUTPUT),$(OUTPUT)/build,$(or $(O),build))

selftests := $(patsubst %/run_kselftest.sh,%,$(wildcard ../run_kselftest.sh))
is_target := $(or $(selftests),$(and $(BUILD),$(filter $(BUILD)/%,$(OUTPUT))))
ifdef selftests
KHDR_INCLUDES ?= -isystem $(abspath ../../../../usr/include)
endif

# From make's arguments or the environment, else where distributions put it.
kselftest_of = $(1)/tools/testing/selftests/run_kselftest.sh
KSRC ?= $(patsubst $(call kselftest_of,%),%,$(firstword $(wildcard $(foreach d,\
	/lib/modules/$(shell uname -r)/source /usr/src/linux,$(call kselftest_of,$d)))))
ksrc_scripts = $(addprefix $(KSRC)/tools/testing/selftests/,$(1))

all: $(if $(OUTPUT),output)

output: programs
	$(Q)install -d $(OUTPUT)
	$(Q)install $(BINARIES) $(OUTPUT)

KSFT_INSTALL_PATH ?= $(OUT)/kselftest_install
install_path := $(abspath $(or $(INSTALL_PATH),$(KSFT_INSTALL_PATH)))
collection := $(install_path)$(if $(is_target),,/kvmeter)
listed := $(install_path)/kselftest-list.txt

install-kselftest: all
	$(Q)install -d $(collection)
	$(Q)install $(BINARIES) $(collection)
	$(Q)install -m 644 settings config $(collection)
	$(if $(is_target),,$(install_for_runner))

# Into a directory that may hold other collections already.
define install_for_runner
$(Q)touch $(listed)
$(Q){ sed /^kvmeter:/d $(listed); $(emit); } >$(listed).new
$(Q)mv $(listed).new $(listed)
$(Q)$(if $(KSRC),$(install_runner),test -x $(install_path)/run_kselftest.sh || \
	echo "no run_kselftest.sh there: KSRC= names a kernel source that has it")
endef

define install_runner
install -d $(install_path)/kselftest && \
install $(call ksrc_scripts,run_kselftest.sh) $(install_path) && \
install $(or $(wildcard $(call ksrc_scripts,kselftest/*.sh kselftest/*.pl)),\
	     $(call ksrc_scripts,kselftest/runner.sh)) $(install_path)/kselftest
endef

COLLECTION ?= kvmeter
emit = printf '$(COLLECTION):%s\n' $(TESTS)
emit_tests:
	@$(emit)

FORMAT ?= .gz
package = $(install_path)/kselftest-packages/kselftest.tar$(FORMAT)
gen_tar: install-kselftest
	$(Q)install -d $(dir $(package))
	$(Q)tar -caf $(package) --exclude=kselftest-packages -C $(install_path) .
	@echo "Created $(package)"

# The kernel's own runner where it is at hand.
run_tests: all
	@$(if $(selftests),BASE_DIR=$(abspath $(selftests)); \
		. $(abspath $(selftests))/kselftest/runner.sh; \
		$(if $(summary),per_test_logging=1;) run_many,tools/run_tests) \
		$(if $(OUTPUT),$(TESTS:%=$(OUTPUT)/%),$(BINARIES))

clean-output:
	$(if $(OUTPUT),rm -f $(TESTS:%=$(OUTPUT)/%))

.PHONY: clean-output emit_tests gen_tar install-kselftest output run_tests
