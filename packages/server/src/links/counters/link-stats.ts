import Type, { type Static } from 'typebox'
import { StrictObject } from '../../http/schema.ts'

const countField = (description: string) => Type.Integer({ description })

/** What get link tells of the use of a link. */
export const linkStats = {
  counters: StrictObject(
    {
      opens: countField('How often its page was opened.'),
      attempts: countField('How often somebody tried to connect.'),
      successes: countField('How often that led to an account.'),
    },
    { description: 'How the link is used, a second behind.' },
  ),
  refusals: Type.Array(
    StrictObject({
      code: Type.String({ description: 'The error code.' }),
      count: countField('How often.'),
    }),
    { description: 'Why people and calls were refused, most frequent first.' },
  ),
}

export interface LinkStats {
  readonly counters: Static<typeof linkStats.counters>
  readonly refusals: Static<typeof linkStats.refusals>
}

const REFUSED_PREFIX = 'refused:'

/** Stored counts on the wire. */
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
