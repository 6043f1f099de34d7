/**
 * Checks that comments, strings, identifiers and Markdown use none of the expressions in `word-list.ts`.
 *
 * `node scripts/check-words.ts packages/server/src/connect/links` checks one folder.
 */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type BannedExpression, WORD_LIST } from './word-list.ts'

/** Third-party texts, generated files, released migrations, and the list itself. */
const EXCLUDED =
  /(?:^|\/)(?:node_modules|generated|dist|\.git|published|data)\/|package-lock\.json$|LICENSE|^packages\/runner\/src\/guest\/.*\.js$|\.fixtures\.(?:json|ts)$|^packages\/server\/migrations\/|^scripts\/(?:word-list|check-words)\.ts$/

interface Finding {
  readonly file: string
  readonly line: number
  readonly text: string
  readonly words: BannedExpression
}

const folder = process.argv[2] ?? ''
const files = globSync('**/*.{ts,tsx,mjs,css,html,md,yml,yaml,example}', {
  exclude: (entry) => /^(?:node_modules|\.git)$/.test(path.basename(entry)),
}).filter((file) => file.startsWith(folder) && !EXCLUDED.test(file))
const findings = files.flatMap(findWords)
for (const { file, line, text, words } of findings)
  console.error(`${file}:${line}: "${text}": ${words.instead} (${words.reason})`)
if (files.length === 0) console.error('no files were found')
console.log(`${files.length} files, ${findings.length} findings`)
process.exitCode = findings.length > 0 || files.length === 0 ? 1 : 0

function findWords(file: string): Finding[] {
  const source = readFileSync(file, 'utf8')
  const lines = source.split('\n')
  return [
    ...findProse(file, lines),
    ...(/\.(?:ts|tsx|mjs)$/.test(file) ? findNames(file, lines) : []),
  ]
}

/** Matches across the lines of a comment or paragraph. */
function findProse(file: string, lines: readonly string[]): Finding[] {
  const starts: number[] = []
  let text = ''
  for (const line of lines) {
    starts.push(text.length)
    text += `${line.replace(/^\s*(?:\*(?!\/)|\/\/|>)?\s*/, '')} `
  }
  return WORD_LIST.flatMap((words) =>
    words.prose === undefined
      ? []
      : [...text.matchAll(new RegExp(words.prose, `g${words.prose.flags}`))].map((match) => ({
          file,
          line: starts.findLastIndex((start) => start <= match.index) + 1,
          text: match[0],
          words,
        })),
  )
}

/** Identifiers in snake_case are columns, codes and settings, which do not change. */
function findNames(file: string, lines: readonly string[]): Finding[] {
  return lines.flatMap((line, at) =>
    (line.match(/(?<![\w$-])[A-Za-z$][A-Za-z0-9$]*(?![\w-])/g) ?? []).flatMap((name) => {
      const parts = name
        .split(/(?=[A-Z][a-z])|(?<=[a-z\d])(?=[A-Z])/)
        .map((part) => part.toLowerCase())
      if (parts.length < 2) return []
      const words = WORD_LIST.find(({ names }) => names?.some((word) => parts.includes(word)))
      return words === undefined ? [] : [{ file, line: at + 1, text: name, words }]
    }),
  )
}
