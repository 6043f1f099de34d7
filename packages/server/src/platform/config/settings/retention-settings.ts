import { setting } from '../setting.ts'
import { parseEventDays, parseOptional, parseRetentionDays } from '../setting-parsers.ts'

/** The settings of how long things are retained. */
export function retentionSettings() {
  return {
    eventDays: setting(
      'LINCHPIN_EVENT_DAYS',
      '30',
      'Number of days for which events are retained, 1 to 365.',
      parseEventDays,
    ),
    attemptDays: setting(
      'LINCHPIN_ATTEMPT_DAYS',
      '30',
      'Number of days for which attempts to connect accounts are retained, 1 to 365.',
      parseEventDays,
    ),
    tombstoneDays: setting(
      'LINCHPIN_TOMBSTONE_DAYS',
      '',
      'Number of days for which tombstones of accounts are retained. Default: for ever.',
      parseOptional(parseRetentionDays),
    ),
    endedLinkDays: setting(
      'LINCHPIN_ENDED_LINK_DAYS',
      '',
      'Number of days for which revoked and expired links are retained. Default: for ever.',
      parseOptional(parseRetentionDays),
    ),
    revokedTokenDays: setting(
      'LINCHPIN_REVOKED_TOKEN_DAYS',
      '',
      'Number of days for which revoked and expired tokens are retained. Default: for ever.',
      parseOptional(parseRetentionDays),
    ),
    unusedBundleDays: setting(
      'LINCHPIN_UNUSED_BUNDLE_DAYS',
      '',
      'Age in days from which bundles without references are deleted. Default: never.',
      parseOptional(parseRetentionDays),
    ),
  }
}
