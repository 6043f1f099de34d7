import type { Answers } from './answers.ts'
import { writePlace } from './place.ts'
import { quote } from './quote.ts'
import { WAYS, type Written } from './ways.ts'

/** The source of a new integration. It passes the lint and its own test as it is. */
export function writeIntegration(answers: Answers): string {
  const { name, key, category, baseUrl, way, checkPath, docs } = answers
  const written: Written = WAYS[way]
  const place = writePlace(baseUrl)
  const names = [...new Set([...written.imports, ...place.imports, 'defineIntegration'])].sort()
  return `import { ${names.join(', ')} } from '@linchpin/kit'

// Write here when you looked each fact up, and where.
export default defineIntegration({
  key: ${quote(key)},
  name: ${quote(name)},
  category: ${quote(category)},
  version: '1.0.0',
  docs: ${quote(docs)},
${indented(2, place.lines)}  auth: {
${indented(4, written.lines(baseUrl))}  },
  check: {
    path: ${quote(checkPath)},
    errors: [{ status: 403, hint: 'Say here what the credentials must be allowed to do.' }],
  },
  identity: { id: 'id', label: ['name', 'email'] },
})
`
}

/** The fixtures of a new integration. */
export function writeFixtures({ baseUrl, way, checkPath }: Answers): string {
  const { sends, more }: Written = WAYS[way]
  return `import { defineFixtures, reply } from '@linchpin/kit/testing'

// Put here what the provider documents: bodies, and statuses other than these.
export default defineFixtures({
  endpoint: ${quote(`GET ${baseUrl}${checkPath}`)},
  sends: ${sends},
  good: { id: 1, name: 'Ann', email: 'ann@example.com' },
  bad: reply(401, { message: 'unauthorized' }),
  insufficient: reply(403, { message: 'forbidden' }),
${indented(2, more?.(baseUrl) ?? [])}  identity: { id: '1', label: 'Ann' },
})
`
}

function indented(by: number, lines: readonly string[]): string {
  return lines.map((line) => `${' '.repeat(by)}${line}\n`).join('')
}
