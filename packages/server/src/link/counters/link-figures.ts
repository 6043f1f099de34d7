import Type, { type Static } from 'typebox'
import { Shape } from '../../http/schema.ts'

const times = (description: string) => Type.Integer({ description })

/** What get link tells of the use of a link. */
export const linkFigures = {
  counters: Shape(
    {
      opens: times('How often its page was opened.'),
      attempts: times('How often somebody tried to connect.'),
      successes: times('How often that led to an account.'),
    },
    { description: 'How the link is used, a second behind.' },
  ),
  refusals: Type.Array(
    Shape({
      code: Type.String({ description: 'The error code.' }),
      count: times('How often.'),
    }),
    { description: 'Why people and calls were refused, most frequent first.' },
  ),
}

export interface LinkFigures {
  readonly counters: Static<typeof linkFigures.counters>
  readonly refusals: Static<typeof linkFigures.refusals>
}

const REFUSED = 'refused:'

/** Stored counts on the wire. */
export function toLinkFigures(counts: ReadonlyMap<string, number>): LinkFigures {
  const refusals = [...counts]
    .filter(([name]) => name.startsWith(REFUSED))
    .map(([name, count]) => ({ code: name.slice(REFUSED.length), count }))
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
