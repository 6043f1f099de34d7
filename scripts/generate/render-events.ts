import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { TSchema } from 'typebox'
import { EventResponse } from '../../packages/server/src/activity/events/event.ts'
import {
  createExampleEvent,
  listEventSchemas,
} from '../../packages/server/src/app/observability/openapi.ts'
import { getRefTarget } from '../../packages/server/src/platform/http/schema.ts'
import { EVENT_TYPES } from '../../packages/server/src/platform/record/event-types.ts'

/** docs/events.md with the current table of types and the current example. @throws Error if the document lacks one of them */
export function renderEvents(): string {
  const document = readFileSync(path.join(import.meta.dirname, '../../docs/events.md'), 'utf8')
  const rows = listEventSchemas().map(
    ([type, { when, data }]) => `| \`${type}\` | ${renderWhen(when)} | ${renderData(data)} |\n`,
  )
  for (const part of [TABLE, EXAMPLE])
    if (!part.test(document)) throw new Error(`docs/events.md has no ${part.source}.`)
  return document
    .replace(TABLE, (_, head: string) => head + rows.join(''))
    .replace(EXAMPLE, (_, fence: string) => `${fence}${renderExample()}\n`)
}

const TABLE = /^(\| type \| published when .*\n\|---\|---\|---\|\n)(?:\|.*\n)+/m
const EXAMPLE = /^(```json\n)\[\n(?:.*\n)+?\]\n/m

function renderWhen(when: string): string {
  const text = when.replace(/\.$/, '')
  return text.replace(/\b\w+\.\w+\b/g, (word) =>
    EVENT_TYPES.some((type) => type === word) ? `\`${word}\`` : word,
  )
}

/** The names of the members of `data` beside the resource; the reference describes them. Of a change, the value before is named. */
function renderData(data: Readonly<Record<string, TSchema>>): string {
  return Object.entries(data)
    .filter(([, schema]) => getRefTarget(schema) === undefined)
    .flatMap(([name, { properties = {} }]: [string, { readonly properties?: object }]) =>
      name === 'previous' ? Object.keys(properties).map((inner) => `${name}.${inner}`) : [name],
    )
    .map((name) => `\`${name}\``)
    .join(', ')
}

/** A list with one event, whose account is shortened. */
function renderExample(): string {
  const [example] = (EventResponse as unknown as { examples: readonly [EventResponse] }).examples
  const { data } = createExampleEvent('account.needs_reauth', example.workspaceId, 0)
  const { status } = data.account as { status: string }
  const account = { integrationAccountId: example.subject, status }
  const text = JSON.stringify([{ ...example, data: { ...data, account } }], null, 2)
  return text.replace(
    /\{\n\s+([^{}]{1,100}?)\n\s+\}/g,
    (_, members: string) => `{ ${members.replace(/\n\s+/g, ' ')} }`,
  )
}
