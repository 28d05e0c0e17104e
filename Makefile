# hipcontract: `make help` lists the targets.
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := help

CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif
BUILD ?= build
LLVM_CONFIG ?= llvm-config-22
CHIP ?= gfx1151
ONLY ?=
FLAGS ?=
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc)
# V=1 shows whole command lines, else a word and a file.
V ?= 0
ifeq ($(V),0)
Q := @
say = @echo '  $(1)  $(patsubst $(BUILD)/%,%,$@)'
else
Q :=
say =
endif
SANITIZE ?=
# Host instruction sets that the emulator's handlers are built for; the best that the processor has is taken at run time.
LEVELS ?= v1 v3 v4

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wundef -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wno-unknown-pragmas
# Asked when first needed, once: `make deps` may have to install llvm-config before.
LLVM_CFLAGS = $(eval LLVM_CFLAGS := $$(shell $(LLVM_CONFIG) --cflags | tr ' ' '\n' | grep '^-[ID]' | tr '\n' ' '))$(LLVM_CFLAGS)
LLVM_LIBS = $(eval LLVM_LIBS := $$(shell $(LLVM_CONFIG) --ldflags --libs | tr '\n' ' '))$(LLVM_LIBS)
LLVM_VERSION = $(or $(filter-out llvm-config%,$(patsubst llvm-config-%,%,$(notdir $(LLVM_CONFIG)))),22)
CFLAGS_COMMON = -std=gnu11 -O2 -g -I. -ffp-contract=off -fno-math-errno -frounding-math -D_GNU_SOURCE $(WARNINGS) $(SANITIZE) -MMD -MP
# Many programs are linked: with lld, which compiling kernels needs anyway, in a third of the time.
LLD := $(wildcard /usr/lib/llvm-22/bin/ld.lld)
LINKER := $(if $(LLD),-B$(dir $(LLD)) -fuse-ld=lld)
LIBS = $(LINKER) -lmpfr -lgmp -lxxhash -ljansson -lsqlite3 -ldw -lelf -lmsgpackc $(LLVM_LIBS) -ldl -lm -lpthread

# Handlers: one object for each wave size and host instruction set. Copies of rows stay in registers: no calls of memcpy. Lines
# suffice to debug them: the variables of each expansion would be two thirds of the program and a sixth of its compilation.
OPS_CFLAGS = -std=gnu11 -O3 -g1 -I. -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-strict-aliasing -D_GNU_SOURCE \
	$(if $(findstring clang,$(CC)),,-fno-tree-loop-distribute-patterns) \
	$(WARNINGS) $(SANITIZE) -MMD -MP
LANES_CFLAGS = -O3
MARCH_v1 := -march=x86-64
MARCH_v3 := -march=x86-64-v3
MARCH_v4 := -march=x86-64-v4 -mprefer-vector-width=512

SOURCES := $(sort $(wildcard contract/base/*.c contract/*.c reference/*.c kernels/*/*.c controls/*.c records/*.c toolchain/*.c \
	mutation/*.c device/*.c device/emulator/*.c device/emulator/depth/*.c device/emulator/sanitizer/*.c reports/*.c commands/*.c))
# The references' inner loops likewise; v1 is always among them, so that some build runs anywhere.
LANES_SOURCES := $(sort $(wildcard reference/lanes/*.c))
LANES_LEVELS := $(sort v1 $(LEVELS))
OPS_SOURCES := $(sort $(wildcard device/emulator/ops/*.c))
LIB_SOURCES := $(filter-out commands/main.c,$(SOURCES))
LIB_OBJECTS := $(LIB_SOURCES:%.c=$(BUILD)/obj/%.o)
OPS_OBJECTS := $(foreach l,$(LEVELS),$(foreach w,32 64,$(OPS_SOURCES:device/emulator/ops/%.c=$(BUILD)/ops/w$(w)_$(l)/%.o)))
LANES_OBJECTS := $(foreach l,$(LANES_LEVELS),$(LANES_SOURCES:reference/lanes/%.c=$(BUILD)/lanes/$(l)/%.o))
TEST_SOURCES := $(sort $(wildcard tests/unit/*.c))
TEST_SUPPORT := $(sort $(wildcard tests/support/*.c))
# Kernels that the host compiles too, as C, for what every chip must give.
HOST_KERNELS := $(sort $(wildcard tests/kernels/agreement/*.hip))
TEST_SUPPORT_OBJECTS := $(TEST_SUPPORT:%.c=$(BUILD)/obj/%.o) $(HOST_KERNELS:%.hip=$(BUILD)/obj/%.o)
TESTS := $(TEST_SOURCES:tests/unit/%.c=$(BUILD)/tests/%)
# Benchmarks and the conformance runner are programs of their own, linked like tests.
PROGRAMS := $(patsubst tests/%.c,$(BUILD)/programs/%,$(sort $(wildcard tests/bench/*.c tests/conformance/*.c tests/fidelity/*.c)))
EVERYTHING = $(TEST_SUPPORT_OBJECTS) $(LIB_OBJECTS) $(LANES_OBJECTS) $(OPS_OBJECTS)
# Fuzz targets need clang's libFuzzer; everything is built once more for them.
FUZZERS := $(filter-out fuzz_input,$(patsubst tests/fuzz/%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c))))
FUZZ_SHARED := $(addprefix $(BUILD)/obj/tests/fuzz/,fuzz_input.o input_file.o must.o)
SECONDS ?= 60
FUZZ_CC ?= clang-22

.PHONY: help deps build contract audit test tests bench counts conformance fidelity fuzz new format lint sanitize install install-built uninstall clean FORCE
help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1\t/' | expand -t 16
	@echo "Variables: CHIP=gfx1151|all  ONLY='GLOB'  FLAGS='...'  CC=gcc|clang  LLVM_CONFIG=llvm-config-22  BUILD=build  JOBS=N  V=1"

deps: ## install what is missing (as root on Debian or Ubuntu), or say what is
	@scripts/deps.sh build $(LLVM_VERSION)
	@scripts/deps.sh page || true # all but the page of the HTML report is built without

build: $(BUILD)/hipcontract ## build the binary

contract: deps ## gates 1-4, controls and limits of every kernel (CHIP=, ONLY=, FLAGS=)
	@$(MAKE) -j$(JOBS) --no-print-directory build
	$(BUILD)/hipcontract contract --chip $(CHIP) $(foreach g,$(ONLY),--only '$(g)') $(FLAGS)

audit: deps ## every kernel, chip and compiler against the records, as one table (CHIP=all, ONLY=, FLAGS=)
	@scripts/deps.sh audit
	@$(MAKE) -j$(JOBS) --no-print-directory build
	$(BUILD)/hipcontract audit $(if $(filter command line,$(origin CHIP)),--chip $(CHIP)) $(foreach g,$(ONLY),--only '$(g)') $(FLAGS)

test: deps ## every test of the project (ONLY='GLOB' of test names)
	@scripts/deps.sh test
	@$(MAKE) -j$(JOBS) --no-print-directory build tests
	@JOBS=$(JOBS) scripts/run_tests.sh $(BUILD) $(if $(ONLY),'$(ONLY)')

COUNTS := $(BUILD)/programs/bench/bench_counts
BENCHES := $(filter-out $(COUNTS),$(filter $(BUILD)/programs/bench/%,$(PROGRAMS)))
bench: deps ## measure speed; nothing is asserted
	@$(MAKE) -j$(JOBS) --no-print-directory build $(BENCHES)
	@for program in $(BENCHES); do $$program || exit; done

counts: deps ## instructions and bytes of each call, as Markdown (ONLY='GLOB', CHIPS=some, FLAGS=--full)
	@$(MAKE) -j$(JOBS) --no-print-directory $(COUNTS)
	@$(COUNTS) $(FLAGS) '$(or $(ONLY),hgemm*)' $(CHIPS)

conformance: deps ## hold chips to vectors, cases, kernels, a corpus (VECTORS=folder of *.jsonl, CHIPS=some)
	@$(MAKE) -j$(JOBS) --no-print-directory $(filter $(BUILD)/programs/conformance/%,$(PROGRAMS))
	@status=0; for program in $(filter $(BUILD)/programs/conformance/%,$(PROGRAMS)); do $$program $(or $(VECTORS),-) $(CHIPS) || status=$$?; done; exit $$status

fidelity: deps ## docs/fidelity.md anew, from the results of all unit tests (VECTORS=folder of *.jsonl)
	@$(MAKE) -j$(JOBS) --no-print-directory build tests $(filter $(BUILD)/programs/fidelity/% $(BUILD)/programs/conformance/%,$(PROGRAMS))
	@JOBS=$(JOBS) scripts/fidelity.sh $(BUILD) $(VECTORS)

new: deps ## a kernel, its registration and a control that build and pass (FAMILY=, KERNEL=)
	@scripts/new_kernel.sh "$(FAMILY)" "$(KERNEL)"
	@$(MAKE) -j$(JOBS) --no-print-directory build
	$(BUILD)/hipcontract limits --only '$(KERNEL)' --update

format: ## format the sources
	@scripts/deps.sh lint
	@git ls-files '*.c' '*.h' | xargs clang-format-14 -i

lint: deps ## formatting, static checks, the include table
	@scripts/deps.sh lint
	@LLVM_CFLAGS="$(LLVM_CFLAGS)" JOBS=$(JOBS) scripts/lint.sh

sanitize: deps ## the unit tests under AddressSanitizer and UBSan
	@$(MAKE) -j$(JOBS) --no-print-directory BUILD=build/asan LEVELS=v3 \
		SANITIZE='-O1 -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -fno-omit-frame-pointer' build tests
	@UNIT_ONLY=1 JOBS=$(JOBS) HIPCONTRACT_CACHE=$(CURDIR)/build/cache ASAN_OPTIONS=allocator_may_return_null=1 \
		scripts/run_tests.sh build/asan $(if $(ONLY),'$(ONLY)')

fuzz: deps ## fuzz what comes from outside (SECONDS=60 each; FUZZ='fuzz_execute' for one)
	@scripts/deps.sh fuzz
	@$(MAKE) -j$(JOBS) --no-print-directory BUILD=build/fuzz CC="$(FUZZ_CC)" LEVELS=v3 SANITIZE='$(FUZZ_SANITIZE)' \
		build/fuzz/programs/fuzz/seeds $(FUZZERS:%=build/fuzz/fuzz/%)
	@HIPCONTRACT_CACHE=$(CURDIR)/build/cache scripts/fuzz.sh build/fuzz $(SECONDS) $(or $(FUZZ),$(FUZZERS))
# Not one of the compilers that the sources are held to: its warnings are shown, not errors.
FUZZ_SANITIZE = -Wno-error -O1 -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all -fno-omit-frame-pointer

# Objects follow the compiler and its flags, and those that include LLVM's headers LLVM too: a stamp changes only when
# what it holds does.
stamp = @mkdir -p $(@D); echo '$(1)' | cmp -s - $@ || echo '$(1)' > $@
FLAGS_USED = $(CC) | $(LEVELS) | $(CFLAGS_COMMON) | $(OPS_CFLAGS) | $(LANES_CFLAGS)
$(BUILD)/flags: FORCE
	$(call stamp,$(FLAGS_USED))
$(BUILD)/llvm: FORCE
	$(call stamp,$(LLVM_CONFIG))
LLVM_USERS := device/emulator/assemble.c device/emulator/decode.c
$(LLVM_USERS:%.c=$(BUILD)/obj/%.o): $(BUILD)/llvm

# Files of kernels find the functions of the public headers in the program.
EXPORTS := contract/exports.list
$(BUILD)/hipcontract: $(LIB_OBJECTS) $(LANES_OBJECTS) $(OPS_OBJECTS) $(BUILD)/obj/commands/main.o $(EXPORTS)
	$(call say,LD)
	$(Q)$(CC) $(SANITIZE) -Wl,--dynamic-list=$(EXPORTS) -o $@ $(filter %.o,$^) $(LIBS)

# The page of the HTML report, for all builds: an empty file where it cannot be bundled, which the next build tries again.
HTML_PAGE := build/html/page.html
$(HTML_PAGE): scripts/bundle_page.sh $(wildcard reports/html/*) $(if $(wildcard $(HTML_PAGE)),$(shell test -s $(HTML_PAGE) || echo FORCE))
	$(Q)scripts/bundle_page.sh $@
$(BUILD)/obj/reports/html_page.o: $(HTML_PAGE)

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS_COMMON) $(if $(filter reports/html_page.c,$<),-DHTML_PAGE='"$(HTML_PAGE)"') $(if $(filter $(LLVM_USERS),$<),$(LLVM_CFLAGS)) \
		$(if $(filter device/emulator/opcodes.c,$<),$(LEVELS:%=-DHC_LEVEL_%)) \
		$(if $(filter reference/lanes.c,$<),$(LANES_LEVELS:%=-DHC_LEVEL_%)) -c -o $@ $<

$(BUILD)/obj/%.o: %.hip $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS_COMMON) -fno-strict-aliasing -c -o $@ -x c $<

define OPS_RULE
$(BUILD)/ops/w$(1)_$(2)/%.o: device/emulator/ops/%.c $(BUILD)/flags
	@mkdir -p $$(@D)
	$$(call say,CC)
	$$(Q)$$(CC) $$(OPS_CFLAGS) $$(MARCH_$(2)) -DWAVE_LANES=$(1) -DHANDLER_SUFFIX=_w$(1)_$(2) -c -o $$@ $$<
endef
$(foreach l,$(LEVELS),$(foreach w,32 64,$(eval $(call OPS_RULE,$(w),$(l)))))

define LANES_RULE
$(BUILD)/lanes/$(1)/%.o: reference/lanes/%.c $(BUILD)/flags
	@mkdir -p $$(@D)
	$$(call say,CC)
	$$(Q)$$(CC) $$(CFLAGS_COMMON) $$(LANES_CFLAGS) $$(MARCH_$(1)) -DHOST_LEVEL=$(1) -c -o $$@ $$<
endef
$(foreach l,$(LANES_LEVELS),$(eval $(call LANES_RULE,$(l))))

$(BUILD)/tests/%: tests/unit/%.c $(EVERYTHING)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS_COMMON) -o $@ $< $(EVERYTHING) -lcmocka $(LIBS)

$(BUILD)/programs/%: tests/%.c $(EVERYTHING)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS_COMMON) -o $@ $< $(EVERYTHING) -lcmocka $(LIBS) -lopenblas

$(BUILD)/programs/fuzz/seeds $(FUZZERS:%=$(BUILD)/fuzz/%): $(FUZZ_SHARED)
$(BUILD)/programs/fuzz/seeds: tests/fuzz/seeds.c $(patsubst %,$(BUILD)/obj/tests/fuzz/seeds_%.o,code files) $(EVERYTHING)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS_COMMON) -o $@ $(filter %.c %.o,$^) -lcmocka $(LIBS)

$(BUILD)/fuzz/%: tests/fuzz/%.c $(EVERYTHING)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS_COMMON) -fsanitize=fuzzer -o $@ $(filter %.c %.o,$^) -lcmocka $(LIBS)

# What makes calls fail is preloaded; it is no part of a sanitized build, whose own library has to come first.
$(BUILD)/faults/shim.so: tests/faults/shim.c tests/faults/classes.h
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(filter-out -MMD -MP $(SANITIZE),$(CFLAGS_COMMON)) -Wno-nonnull-compare -fPIC -shared -o $@ $< -ldl
$(BUILD)/faults/sweep: tests/faults/sweep.c $(EVERYTHING)
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS_COMMON) -o $@ $(filter %.c %.o,$^) -lcmocka $(LIBS)

tests: $(TESTS) $(BUILD)/faults/shim.so $(BUILD)/faults/sweep

# hipcontract.h stands in include/, all that it includes in include/hipcontract/ and is named so; -I$(PREFIX)/include finds both.
PUBLIC_HEADER := contract/hipcontract.h
PUBLIC_HEADERS = $(filter-out $(PUBLIC_HEADER),$(filter %.h,$(shell $(CC) -I. -MM $(PUBLIC_HEADER))))
INSTALLED := bin/hipcontract include/hipcontract.h include/hipcontract share/doc/hipcontract share/man/man1/hipcontract.1
TO = $(DESTDIR)$(PREFIX)
install: build ## program, headers, manual page, documents under PREFIX (default /usr/local)
	@$(MAKE) --no-print-directory install-built

install-built: # what is built already, whatever it was built with
	install -D -m 755 $(BUILD)/hipcontract $(TO)/bin/hipcontract
	install -D -m 644 $(PUBLIC_HEADER) $(TO)/include/hipcontract.h
	for header in $(PUBLIC_HEADERS); do install -D -m 644 $$header $(TO)/include/hipcontract/$$header || exit; done
	find $(TO)/include/hipcontract.h $(TO)/include/hipcontract -name '*.h' -exec sed -i 's|^#include "|&hipcontract/|' {} +
	install -D -m 644 docs/hipcontract.1 $(TO)/share/man/man1/hipcontract.1
	install -D -m 644 -t $(TO)/share/doc/hipcontract README.md LICENSE docs/*.md

uninstall: ## take away what install put there
	rm -rf $(INSTALLED:%=$(TO)/%)

clean: ## remove what was built
	rm -rf $(BUILD)

# Objects that only a pattern rule names are kept, and lists of headers are never made by themselves.
.SECONDARY:
%.d: ;
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
