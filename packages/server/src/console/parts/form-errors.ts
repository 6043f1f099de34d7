import { isLinchpinError } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { banner } from './content.ts'

/** What is wrong with a submitted form. */
export interface FormErrors {
  /** What concerns no field. */
  readonly message: string | undefined
  /** By the name of the field; lines of a list are numbered. */
  readonly fields: Readonly<Record<string, string>>
}

/**
 * What the API found wrong with a form, at its fields.
 *
 * @throws the error, if the form cannot be corrected
 */
export function toFormErrors(error: unknown, names: readonly string[]): FormErrors {
  if (!isLinchpinError(error) || ![400, 409, 422].includes(error.status)) throw error
  if (error.code === 'idempotency_in_progress') throw error
  const fields: Record<string, string> = {}
  for (const [path, problems] of Object.entries(error.errors)) {
    const [name, line] = findField(path, names)
    if (name === undefined) continue
    const text = problems.map(({ message }) => message).join(' ')
    const numbered = line === undefined ? text : `${line + 1}: ${text}`
    fields[name] = fields[name] === undefined ? numbered : `${fields[name]} ${numbered}`
  }
  return { message: Object.keys(fields).length === 0 ? error.message : undefined, fields }
}

/** The message that concerns no field, above the form. */
export function formBanner(errors: FormErrors | undefined): Html | undefined {
  if (errors?.message === undefined) return undefined
  return html`<div role="alert">${banner('bad', { title: errors.message })}</div>`
}

/** The lines of a text area, without empty ones. */
export function readLines(text: string | null): string[] {
  return (text ?? '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** The field of a path such as `types.2`, and the line in it. The longest name wins: `theme.texts` before `theme`. */
function findField(
  path: string,
  names: readonly string[],
): [name: string | undefined, line: number | undefined] {
  const name = names
    .filter((each) => path === each || path.startsWith(`${each}.`))
    .sort((a, b) => b.length - a.length)[0]
  if (name === undefined) return [undefined, undefined]
  const rest = path.slice(name.length + 1)
  return [name, /^\d+$/.test(rest) ? Number(rest) : undefined]
}
