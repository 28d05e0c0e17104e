/* Entries of the compile cache by themselves: whole or not there, whatever happens while they are written; and which go. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "contract/base/file.h"
#include "tests/support/scratch.h"
#include "toolchain/cache.h"
#include "toolchain/cache_entries.h"
#include "toolchain/manifest.h"

static const struct hash128 key = {.high = 0x0123456789abcdef, .low = 0xfedcba9876543210};

static int open_folder(void **state)
{
    char *folder = malloc(SCRATCH_PATH_BYTES);
    *state = folder;
    return folder && scratch_open(folder) ? 0 : -1;
}

static int close_folder(void **state)
{
    scratch_close(*state);
    free(*state);
    return 0;
}

static size_t n_files(const char *folder)
{
    struct cache_entries entries;
    struct error error;
    assert_true(cache_entries_read(folder, &entries, &error));
    size_t n = entries.n_entries;
    cache_entries_free(&entries);
    return n;
}

/* A child process: stores bytes of its own under the key that all share, and reads what is there; 0 where that was whole
 * each time. */
static int store_and_load(const char *folder, int child)
{
    enum { ROUNDS = 50, MOST_BYTES = 200000 };
    static unsigned char bytes[MOST_BYTES];
    struct error error;
    memset(bytes, 'a' + child, sizeof bytes);
    for (int round = 0; round < ROUNDS; round++) {
        unsigned char *found;
        size_t n_found;
        if (!cache_store(folder, key, bytes, (size_t)(child + 1) * MOST_BYTES / 8, &error))
            return 1;
        if (cache_load(folder, key, &found, &n_found, &error) != CACHE_HIT)
            return 2;
        size_t writer = (size_t)(found[0] - 'a');
        bool whole = n_found == (writer + 1) * MOST_BYTES / 8 && memcmp(found, found + 1, n_found - 1) == 0;
        free(found);
        if (!whole)
            return 3;
    }
    return 0;
}

static void eight_processes_never_see_a_part_of_an_entry(void **state)
{
    enum { PROCESSES = 8 };
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0)
            _exit(store_and_load(*state, i));
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(n_files(*state), 1);
}

/* A limit on the size of files ends a write in its middle, as a full disk does. */
static void a_write_that_ends_early_leaves_nothing(void **state)
{
    static const unsigned char bytes[10000] = {1};
    struct rlimit before;
    struct error error;
    unsigned char *found;
    size_t n_found;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = 5000, .rlim_max = before.rlim_max}), 0);
    bool stored = cache_store(*state, key, bytes, sizeof bytes, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_false(stored);
    assert_non_null(strstr(error.text, ".entry: cannot be written: File too large"));
    assert_int_equal(n_files(*state), 0);
    assert_int_equal(cache_load(*state, key, &found, &n_found, &error), CACHE_MISS);
}

/* A file of the folder, last used so many seconds before `now`. */
static void put(const char *folder, const char *name, const char *text, time_t now, int age_s)
{
    char path[SCRATCH_PATH_BYTES];
    const struct timespec times[2] = {{.tv_sec = now - age_s}, {.tv_sec = now - age_s}};
    assert_true(scratch_write(folder, name, text, path));
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* An entry whose key is sixteen times the digit and sixteen zeros, of so many bytes with its header. */
static void put_entry(const char *folder, uint64_t digit, size_t n_bytes, time_t now, int age_s)
{
    static const unsigned char zeros[1000];
    char path[SCRATCH_PATH_BYTES * 2];
    struct hash128 its_key = {.high = digit * 0x1111111111111111};
    struct error error;
    const struct timespec times[2] = {{.tv_sec = now - age_s}, {.tv_sec = now - age_s}};
    assert_true(cache_store(folder, its_key, zeros, n_bytes - 33, &error));
    cache_path(folder, its_key, path, sizeof path);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void the_longest_unused_go_first_and_what_is_no_entry_stays(void **state)
{
    enum { NOW = 1000000000, DAY = 86400 };
    static const struct {
        char digit;
        enum cache_fate fate;
    } expected[] = {{'1', CACHE_FATE_KEPT},    {'a', CACHE_FATE_KEPT},     {'2', CACHE_FATE_KEPT},
                    {'d', CACHE_FATE_DAMAGED}, {'b', CACHE_FATE_LEFTOVER}, {'3', CACHE_FATE_TOO_MUCH},
                    {'6', CACHE_FATE_KEPT},    {'4', CACHE_FATE_OLD},      {'5', CACHE_FATE_OLD}};
    const struct cache_limits limits = {.now = NOW, .most_age_s = 30 * DAY, .most_bytes = 900};
    enum cache_fate fates[9];
    struct cache_entries entries;
    struct error error;
    put_entry(*state, 5, 100, NOW, 31 * DAY);
    put_entry(*state, 4, 100, NOW, 30 * DAY);
    put_entry(*state, 3, 401, NOW, 30 * DAY - 1);
    put_entry(*state, 6, 400, NOW, 30 * DAY - 1); /* 900 with what is kept, of which 3 is none */
    put_entry(*state, 2, 400, NOW, 60);
    put_entry(*state, 1, 100, NOW, -5);
    put(*state, "dddddddddddddddd0000000000000000.entry", "text", NOW, 100);
    put(*state, "aaaaaaaaaaaaaaaa0000000000000000.entry.Xy0_zz", "text", NOW, 10);
    put(*state, "bbbbbbbbbbbbbbbb0000000000000000.entry.Xy0_zz", "text", NOW, 3601);
    put(*state, "notes.txt", "text", NOW, 99 * DAY);
    put(*state, "cccccccccccccccc0000000000000000.entry.old", "text", NOW, 99 * DAY);
    put(*state, "cccccccccccccccc000000000000000g.entry", "text", NOW, 99 * DAY);
    assert_true(cache_entries_read(*state, &entries, &error));
    assert_int_equal(entries.n_entries, sizeof expected / sizeof *expected);
    cache_judge(&entries, &limits, fates);
    for (size_t i = 0; i < entries.n_entries; i++) {
        assert_int_equal(entries.entries[i].name[0], expected[i].digit);
        assert_string_equal(cache_fate_text(fates[i]), cache_fate_text(expected[i].fate));
    }
    cache_entries_free(&entries);
}

/* A folder of an entry's name stands for any file that cannot be read: it is no entry of wrong bytes, and prune leaves it.
 */
static void what_cannot_be_read_is_not_damaged(void **state)
{
    char path[SCRATCH_PATH_BYTES * 2];
    const struct cache_limits limits = {.now = time(NULL), .most_age_s = 0, .most_bytes = 0};
    enum cache_fate fate;
    struct cache_entries entries;
    struct error error;
    unsigned char *found;
    size_t n_found;
    assert_int_equal(cache_load(*state, key, &found, &n_found, &error), CACHE_MISS);
    cache_path(*state, key, path, sizeof path);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(cache_load(*state, key, &found, &n_found, &error), CACHE_UNREADABLE);
    assert_non_null(strstr(error.text, ".entry: Is a directory"));
    assert_true(cache_entries_read(*state, &entries, &error));
    assert_int_equal(entries.n_entries, 1);
    assert_true(entries.entries[0].unreadable && !entries.entries[0].damaged);
    cache_judge(&entries, &limits, &fate);
    assert_int_equal(fate, CACHE_FATE_KEPT);
    cache_entries_free(&entries);
}

/* A pipe that nobody writes to would be waited for, for ever. */
static void an_entry_that_is_a_pipe_is_not_waited_for(void **state)
{
    char path[SCRATCH_PATH_BYTES * 2];
    struct error error;
    unsigned char *found;
    size_t n_found;
    cache_path(*state, key, path, sizeof path);
    assert_int_equal(mkfifo(path, 0666), 0);
    alarm(10);
    assert_int_equal(cache_load(*state, key, &found, &n_found, &error), CACHE_UNREADABLE);
    alarm(0);
}

/* Of a right one: each end, and each place of a digit or a separator with something else there. */
static void a_manifest_that_is_cut_or_changed_is_none(void **state)
{
    static const char lead[] = MANIFEST_MAGIC;
    struct manifests manifests = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct manifest manifest = {.source = {1, 2}};
    struct error error;
    unsigned char *right;
    size_t n_bytes, n_keys = 4 * 33;
    char root[SCRATCH_PATH_BYTES];
    assert_true(scratch_open(root));
    text_append(&manifest.sources.own, "k.hip\n");
    text_append(&manifest.sources.system, "k.h\n");
    manifest.own = fingerprint_of(manifest.sources.own.data, root).hash;
    manifest.system = fingerprint_of(manifest.sources.system.data, root).hash;
    assert_true(manifest_store(&manifest, *state, key, &error));
    manifest_free(&manifest);
    assert_int_equal(cache_load(*state, key, &right, &n_bytes, &error), CACHE_HIT);
    assert_true(manifest_find(&manifests, *state, key, root, &manifest));
    assert_true(manifest.source.high == 1 && manifest.source.low == 2);
    manifest_free(&manifest);
    for (size_t at = 1; at < strlen(lead) + n_keys; at++) {
        assert_true(cache_store(*state, key, right, at, &error));
        assert_false(manifest_find(&manifests, *state, key, root, &manifest));
        manifest_free(&manifest);
        unsigned char kept = right[at];
        right[at] = 'x';
        assert_true(cache_store(*state, key, right, n_bytes, &error));
        assert_false(manifest_find(&manifests, *state, key, root, &manifest));
        manifest_free(&manifest);
        right[at] = kept;
    }
    free(right);
    scratch_close(root);
}

static void reading_an_entry_is_a_use(void **state)
{
    enum { AGE_S = 1000 };
    time_t now = time(NULL);
    struct cache_entries entries;
    struct error error;
    unsigned char *found;
    size_t n_found;
    put_entry(*state, 1, 100, now, AGE_S);
    assert_int_equal(cache_load(*state, (struct hash128){.high = 0x1111111111111111}, &found, &n_found, &error), CACHE_HIT);
    free(found);
    assert_true(cache_entries_read(*state, &entries, &error));
    assert_true(entries.entries[0].used > now - AGE_S / 2);
    cache_entries_free(&entries);
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
    char folder[SCRATCH_PATH_BYTES];
    struct cache_entries entries;
    struct error error;
    snprintf(folder, sizeof folder, "%.400s/none", (const char *)*state);
    assert_false(cache_entries_read(folder, &entries, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_non_null(strstr(error.text, "/none: No such file or directory; "));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_folder, close_folder)
    const struct CMUnitTest tests[] = {
        TEST(eight_processes_never_see_a_part_of_an_entry),
        TEST(a_write_that_ends_early_leaves_nothing),
        TEST(the_longest_unused_go_first_and_what_is_no_entry_stays),
        TEST(what_cannot_be_read_is_not_damaged),
        TEST(an_entry_that_is_a_pipe_is_not_waited_for),
        TEST(a_manifest_that_is_cut_or_changed_is_none),
        TEST(reading_an_entry_is_a_use),
        TEST(a_folder_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
