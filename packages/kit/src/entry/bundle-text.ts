import type { Entry } from './entry.ts'

const BEGIN = 'const ENTRY='
const END = ';\n'

/** The bundle of an entry: the entry, and the code that runs it. */
export function bundleEntry(entry: Entry, runtime: string): string {
  return `${BEGIN}${JSON.stringify(entry)}${END}${runtime}`
}

/** The JSON of the entry in a bundle that consists of it and this runtime; undefined for any other bundle. */
export function readBundledEntry(bundle: string, runtime: string): string | undefined {
  if (!bundle.startsWith(BEGIN) || !bundle.endsWith(END + runtime)) return undefined
  const json = bundle.slice(BEGIN.length, -(END + runtime).length)
  // One line, as JSON.stringify writes it: what follows is the runtime and nothing else.
  return json.includes('\n') ? undefined : json
}
