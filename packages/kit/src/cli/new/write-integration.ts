import { PLACEHOLDERS } from '../../lint/placeholders.ts'
import type { IntegrationAnswers } from './answers.ts'
import { AUTH_TEMPLATES, type AuthTemplate } from './auth-templates.ts'
import { renderBaseUrl } from './base-url.ts'
import { quote } from './quote.ts'

/** The source of a new integration. It passes its own test; the lint lists its placeholders. */
export function writeIntegration(answers: IntegrationAnswers): string {
  const { name, key, category, baseUrl, authTemplate, checkPath, docs } = answers
  const template: AuthTemplate = AUTH_TEMPLATES[authTemplate]
  const baseUrlLines = renderBaseUrl(baseUrl)
  const names = [
    ...new Set([...template.imports, ...baseUrlLines.imports, 'defineIntegration']),
  ].sort()
  return `import { ${names.join(', ')} } from '@linchpin/kit'

// Write here when you looked each fact up, and where.
export default defineIntegration({
  key: ${quote(key)},
  name: ${quote(name)},
  category: ${quote(category)},
  version: '1.0.0',
  docs: ${quote(docs)},
${indent(2, baseUrlLines.lines)}  auth: {
${indent(4, template.lines(baseUrl))}  },
  check: {
    path: ${quote(checkPath)},
    errors: [{ status: 403, hint: ${quote(PLACEHOLDERS.hint)} }],
  },
  identity: { id: 'id', label: ['name', 'email'] },
})
`
}

/** The fixtures of a new integration. */
export function writeFixtures({ baseUrl, authTemplate, checkPath }: IntegrationAnswers): string {
  const { sends, extraLines }: AuthTemplate = AUTH_TEMPLATES[authTemplate]
  return `import { defineFixtures, reply } from '@linchpin/kit/testing'

// Put here what the provider documents: bodies, and statuses other than these.
export default defineFixtures({
  endpoint: ${quote(`GET ${baseUrl}${checkPath}`)},
  sends: ${sends},
  good: { id: 1, name: 'Ann', email: 'ann@example.com' },
  bad: reply(401, { message: 'unauthorized' }),
  insufficient: reply(403, { message: 'forbidden' }),
${indent(2, extraLines?.(baseUrl) ?? [])}  identity: { id: '1', label: 'Ann' },
})
`
}

function indent(by: number, lines: readonly string[]): string {
  return lines.map((line) => `${' '.repeat(by)}${line}\n`).join('')
}
