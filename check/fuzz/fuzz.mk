# SPDX-License-Identifier: GPL-2.0-only
# Programs for libFuzzer: check/fuzz/NAME_fuzz.c with all of the tool but its
# main(). They take clang, and runtimes that come with it:
#
#   make LLVM=1 SANITIZE=fuzzer-no-link,address,undefined,float-cast-overflow O=DIR fuzz

FUZZERS := $(patsubst %.c,$(OUT)/%,$(wildcard check/fuzz/*_fuzz.c))
FUZZ_COMMON := $(addprefix $(OUT)/check/fuzz/,\
		 fuzz.o memory.o judge_text.o mutate.o values.o)
FUZZ_WRAPPED := end die usage_error fopen fclose
fuzz_wrapped = $(FUZZ_WRAPPED:%=-Wl,--wrap=%)
$(OUT)/check/fuzz/run_fuzz: fuzz_wrapped += -Wl,--wrap=uname

$(FUZZERS): %: %.o $(FUZZ_COMMON) $(filter-out %/kvmeter.o,$(TOOL_OBJECTS)) \
	    $(OUT)/libkvmeter.a $(OUT)/link-flags
	$(call say,LINK)
	$(Q)$(LINK) -fsanitize=fuzzer $(fuzz_wrapped) -o $@ $(objects) \
		-ljansson -lm

fuzz: $(FUZZERS)
.PHONY: fuzz
