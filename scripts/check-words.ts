/**
 * Checks that comments, strings, identifiers and Markdown use none of the expressions in `word-list.ts`.
 *
 * A folder in FOLDERS_NOT_CLEAN prints its count as a warning. Every finding in another folder is an error.
 * `node scripts/check-words.ts packages/server/src/links` lists the findings of one folder.
 */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type RefusedWords, WORD_LIST } from './word-list.ts'

/** Folders that still have findings. Delete a folder here when it has none left. */
const FOLDERS_NOT_CLEAN: readonly string[] = [
  'docs',
  'docs/decisions',
  'examples',
  'examples/provider',
  'examples/tour',
  'packages/catalogue/src',
  'packages/catalogue/src/integrations',
  'packages/kit',
  'packages/kit/src',
  'packages/kit/src/run',
  'packages/kit/src/test',
  'packages/kit/test/integrations',
  'packages/server/src/start',
]

/** Third-party texts, generated files, released migrations, and the list itself. */
const EXCLUDED =
  /(?:^|\/)(?:node_modules|generated|dist|\.git|published|data)\/|package-lock\.json$|LICENSE|^packages\/runner\/src\/guest\/.*\.js$|\.fixtures\.ts$|^packages\/server\/migrations\/|^scripts\/(?:word-list|check-words)\.ts$/

interface Finding {
  readonly file: string
  readonly line: number
  readonly text: string
  readonly words: RefusedWords
}

const requested = process.argv[2]
const files = globSync('**/*.{ts,tsx,mjs,css,html,md,yml,yaml,example}', {
  exclude: (entry) => /^(?:node_modules|\.git)$/.test(path.basename(entry)),
}).filter((file) => !EXCLUDED.test(file))
const findings = files.flatMap(findWords)
const errors = findings.filter(({ file }) =>
  requested === undefined
    ? !FOLDERS_NOT_CLEAN.includes(getFolder(file))
    : file.startsWith(requested),
)
for (const { file, line, text, words } of errors)
  console.error(`${file}:${line}: "${text}": ${words.instead} (${words.reason})`)
if (requested === undefined)
  for (const folder of FOLDERS_NOT_CLEAN) {
    const count = findings.filter(({ file }) => getFolder(file) === folder).length
    console.warn(
      count === 0
        ? `warning: ${folder} is clean: delete it from FOLDERS_NOT_CLEAN`
        : `warning: ${folder}: ${count}`,
    )
  }
if (files.length === 0) console.error('no files were found')
console.log(`${files.length} files, ${findings.length} findings, ${errors.length} errors`)
process.exitCode = errors.length > 0 || files.length === 0 ? 1 : 0

/** `packages/server/src/links` for a package's source, else the first two folders. */
function getFolder(file: string): string {
  const steps = path.dirname(file).split('/')
  return steps.slice(0, steps[0] === 'packages' ? 4 : 2).join('/')
}

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
