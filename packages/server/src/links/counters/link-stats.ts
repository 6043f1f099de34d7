import Type, { type Static } from 'typebox'
import { StrictObject } from '../../http/schema.ts'

const countField = (description: string) => Type.Integer({ description })

/** The usage statistics in Get link. */
export const linkStats = {
  counters: StrictObject(
    {
      opens: countField('How often the page of the link was opened.'),
      attempts: countField('Number of attempts to connect an account.'),
      successes: countField('Number of attempts that created or reconnected an account.'),
    },
    { description: 'Usage of the link, updated every second.' },
  ),
  refusals: Type.Array(
    StrictObject({
      code: Type.String({ description: 'The error code.' }),
      count: countField('Number of attempts that failed with this code.'),
    }),
    { description: 'Why attempts were rejected, most frequent first.' },
  ),
}

export interface LinkStats {
  readonly counters: Static<typeof linkStats.counters>
  readonly refusals: Static<typeof linkStats.refusals>
}

const REFUSED_PREFIX = 'refused:'

/** Serializes stored counts. */
export function serializeLinkStats(counts: ReadonlyMap<string, number>): LinkStats {
  const refusals = [...counts]
    .filter(([name]) => name.startsWith(REFUSED_PREFIX))
    .map(([name, count]) => ({ code: name.slice(REFUSED_PREFIX.length), count }))
    .sort((a, b) => b.count - a.count || a.code.localeCompare(b.code))
  return {
    counters: {
      opens: counts.get('opened') ?? 0,
      attempts: counts.get('attempted') ?? 0,
      successes: counts.get('connected') ?? 0,
    },
    refusals,
  }
}
