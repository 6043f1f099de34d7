import type { SettingTable } from '../setting.ts'
import { LOG_LEVELS, parseOneOf } from '../setting-parsers.ts'

/** The settings of the log. */
export function logSettings() {
  return {
    logLevel: {
      name: 'LINCHPIN_LOG_LEVEL',
      default: 'info',
      description: `${LOG_LEVELS.slice(0, -1).join(', ')} or ${LOG_LEVELS.at(-1)}`,
      parse: parseOneOf(LOG_LEVELS),
    },
    logFormat: {
      name: 'LINCHPIN_LOG_FORMAT',
      default: 'auto',
      description:
        '`json` writes JSON lines, `pretty` writes text for people; `auto` picks `pretty` on a terminal and `json` elsewhere',
      parse: parseOneOf(['auto', 'json', 'pretty']),
    },
  } satisfies SettingTable
}
