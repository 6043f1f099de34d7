import type { SettingTable } from '../setting.ts'
import { parseEventDays, parseOptional, parseRetentionDays } from '../setting-parsers.ts'

/** The settings of how long things are retained. */
export function retentionSettings() {
  return {
    eventDays: {
      name: 'LINCHPIN_EVENT_DAYS',
      default: '30',
      description: 'days for which [events](events.md) are retained, 1 to 365',
      parse: parseEventDays,
    },
    attemptDays: {
      name: 'LINCHPIN_ATTEMPT_DAYS',
      default: '30',
      description:
        'days for which [attempts](connect-page.md#why-did-it-fail) to connect accounts are retained, 1 to 365',
      parse: parseEventDays,
    },
    tombstoneDays: {
      name: 'LINCHPIN_TOMBSTONE_DAYS',
      default: '',
      unset: 'for ever',
      description:
        'days for which tombstones of deleted accounts are [retained](erasure.md#retention), 1 to 99,999',
      parse: parseOptional(parseRetentionDays),
    },
    endedLinkDays: {
      name: 'LINCHPIN_ENDED_LINK_DAYS',
      default: '',
      unset: 'for ever',
      description: 'days for which revoked and expired links are retained, 1 to 99,999',
      parse: parseOptional(parseRetentionDays),
    },
    revokedTokenDays: {
      name: 'LINCHPIN_REVOKED_TOKEN_DAYS',
      default: '',
      unset: 'for ever',
      description: 'days for which revoked and expired tokens are retained, 1 to 99,999',
      parse: parseOptional(parseRetentionDays),
    },
    unusedBundleDays: {
      name: 'LINCHPIN_UNUSED_BUNDLE_DAYS',
      default: '',
      unset: 'never',
      description: 'age in days from which bundles that nothing refers to are deleted, 1 to 99,999',
      parse: parseOptional(parseRetentionDays),
    },
  } satisfies SettingTable
}
