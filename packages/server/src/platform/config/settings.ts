import type { ConfigParsers } from './config-parsers.ts'
import { accessSettings } from './settings/access-settings.ts'
import { egressSettings } from './settings/egress-settings.ts'
import { httpSettings } from './settings/http-settings.ts'
import { logSettings } from './settings/log-settings.ts'
import { postgresSettings } from './settings/postgres-settings.ts'
import { retentionSettings } from './settings/retention-settings.ts'
import { storageSettings } from './settings/storage-settings.ts'
import { traceSettings } from './settings/trace-settings.ts'

/**
 * The table of settings: by its name in the config, the variable, default, meaning and parser of each. A test checks that
 * `.env.example` lists the same.
 */
export function settings<Keys, Allow>(parsers: ConfigParsers<Keys, Allow>) {
  return {
    ...httpSettings(),
    ...retentionSettings(),
    ...accessSettings(),
    ...storageSettings(parsers),
    ...postgresSettings(),
    ...egressSettings(parsers),
    ...logSettings(),
    ...traceSettings(),
  }
}
