import { registerHooks, stripTypeScriptTypes } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'rollup/parseAst'

/** One function that was entered. */
export interface Entry {
  /** The file below `packages/server/src`. */
  readonly file: string
  readonly line: number
}

const SOURCE = fileURLToPath(new URL('../../packages/server/src/', import.meta.url))
const entries: Entry[] = []
let isRecording = false

/**
 * Makes every function of the server report when it is entered, in modules that are loaded from now on. Test support is
 * left out. The generated code keeps its lines.
 */
export function traceModules(): void {
  Reflect.set(globalThis, ENTER, (file: string, line: number) => {
    if (isRecording) entries.push({ file, line })
  })
  registerHooks({
    load(url, context, nextLoad) {
      const file = url.startsWith('file:') ? path.relative(SOURCE, fileURLToPath(url)) : '..'
      if (file.startsWith('..') || !file.endsWith('.ts') || /(?:^|\/)test\//.test(file))
        return nextLoad(url, context)
      const { source } = nextLoad(url, { ...context, format: 'module-typescript' })
      return { format: 'module', shortCircuit: true, source: instrument(String(source), file) }
    },
  })
}

/** Resolves to the functions that were entered while `action` ran, in order. */
export async function record(action: () => Promise<unknown>): Promise<Entry[]> {
  entries.length = 0
  isRecording = true
  try {
    await action()
  } finally {
    isRecording = false
  }
  return [...entries]
}

const ENTER = '__linchpinEnter'

function instrument(typescript: string, file: string): string {
  const source = stripTypeScriptTypes(typescript, { mode: 'strip' })
  const insertions: { readonly at: number; readonly text: string }[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if (isFunction(node)) {
      const { start, end, type } = node.body
      const line = source.slice(0, start).split('\n').length
      const call = `${ENTER}(${JSON.stringify(file)}, ${line})`
      if (type === 'BlockStatement') insertions.push({ at: start + 1, text: `${call};` })
      else insertions.push({ at: start, text: `(${call}, ` }, { at: end, text: ')' })
    }
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseAst(source))
  let text = source
  for (const insertion of insertions.sort((a, b) => b.at - a.at))
    text = text.slice(0, insertion.at) + insertion.text + text.slice(insertion.at)
  return text
}

interface FunctionNode {
  readonly body: { readonly type: string; readonly start: number; readonly end: number }
}

function isFunction(node: object): node is FunctionNode {
  return (
    'type' in node &&
    /^(?:ArrowFunctionExpression|FunctionExpression|FunctionDeclaration)$/.test(String(node.type))
  )
}
