import { setting } from '../setting.ts'
import { LOG_LEVELS, parseOneOf } from '../setting-parsers.ts'

/** The settings of the log. */
export function logSettings() {
  return {
    logLevel: setting(
      'LINCHPIN_LOG_LEVEL',
      'info',
      `One of ${LOG_LEVELS.join(', ')}.`,
      parseOneOf(LOG_LEVELS),
    ),
    logFormat: setting(
      'LINCHPIN_LOG_FORMAT',
      'auto',
      'json writes JSON lines, pretty writes text for people; auto picks pretty on a terminal and json elsewhere.',
      parseOneOf(['auto', 'json', 'pretty']),
    ),
  }
}
