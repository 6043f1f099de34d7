import { hash } from 'node:crypto'
import type { SealedRow } from '../../../platform/vault/sealed-columns.ts'
import type { Report } from './finding.ts'

/** Compares contents with the SHA-256 under which they are stored: those of bundles and of icons. */
export function checkContents(table: string, row: SealedRow, report: Report): boolean {
  const content = CONTENTS[table]?.(row)
  if (content === undefined) return false
  if (hash('sha256', content.bytes) === content.sha256) return true
  report({
    check: 'contents',
    subject: `${table}/${content.name}`,
    problem: 'Its bytes have changed: they do not have the SHA-256 under which they are stored.',
    remedy: content.remedy,
  })
  return true
}

interface Content {
  readonly name: string
  readonly bytes: Uint8Array
  readonly sha256: string
  readonly remedy: string
}

const CONTENTS: Readonly<Record<string, (row: SealedRow) => Content>> = {
  bundles: ({ sha256, code }) => ({
    name: String(sha256),
    bytes: code as Uint8Array,
    sha256: String(sha256),
    remedy: 'Restore a backup, or create the definitions that use it again from their sourceUrl.',
  }),
  definition_icons: ({ definition_id, path, content }) => ({
    name: String(definition_id),
    bytes: content as Uint8Array,
    sha256: /[\da-f]{64}/.exec(String(path))?.[0] ?? '',
    remedy: 'Set the icon of the definition again.',
  }),
}
