#include "commands/run_record.h"

bool run_record_open(struct run_record *record, struct session *session, const struct log_environment *environment,
                     struct error *error)
{
    const char *folder = session->arguments->keep_outputs;
    if (!folder)
        return true;
    const char *path = arena_format(&session->arena, "%s/" KEPT_OUTPUTS_LOG, folder);
    if (!path)
        return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the log");
    if (!kept_outputs_open(&record->kept, folder, error) || !log_open(&record->log, path, environment, error))
        return false;
    record->is_open = record->log.with_outputs = true;
    stream_add(&record->stream, log_sink(&record->log));
    stream_add(&record->stream, kept_outputs_sink(&record->kept));
    stream_add(&record->stream, counts_sink(&record->counts));
    return true;
}

bool run_record_close(struct run_record *record, const char *registration, const char *chip, enum status status,
                      struct error *error)
{
    const struct registration_end end = {.registration = registration, .chip = chip};
    if (!record->is_open)
        return true;
    stream_registration_end(&record->stream, &end);
    log_summary(&record->log, &record->counts, status, status == STATUS_INTERRUPTED);
    bool is_logged = log_close(&record->log, error);
    return is_logged && kept_outputs_close(&record->kept, error);
}
