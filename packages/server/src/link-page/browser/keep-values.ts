import type { Kept } from './kept.ts'

/** Keeps what is typed over a reload of the page: never a secret, shown or not. */
export function keepValues(main: HTMLElement, kept: Kept): void {
  const form = main.querySelector<HTMLFormElement>('form[method="post"]')
  if (form === null) return
  const key = keyOf(form)
  const fields = [...form.elements].filter(isOpen)
  // A form that the server sent back has what was typed in it already.
  if (main.dataset.state !== 'failed') restore(fields, read(kept.get(key)))
  form.addEventListener('input', () => {
    kept.set(key, JSON.stringify(Object.fromEntries(fields.map((one) => [one.name, typedIn(one)]))))
  })
}

/** Forgets it: the form has done its work. */
export function forgetValues(form: HTMLFormElement, kept: Kept): void {
  kept.delete(keyOf(form))
}

type Open = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

function isOpen(element: Element): element is Open {
  const isField =
    element instanceof HTMLInputElement ||
    element instanceof HTMLSelectElement ||
    element instanceof HTMLTextAreaElement
  return (
    isField &&
    element.type !== 'hidden' &&
    element.type !== 'password' &&
    element.dataset.secret === undefined
  )
}

function restore(fields: readonly Open[], values: Readonly<Record<string, unknown>>): void {
  for (const field of fields) {
    const value = Object.hasOwn(values, field.name) ? values[field.name] : undefined
    if (typeof value === 'boolean' && field instanceof HTMLInputElement) field.checked = value
    else if (typeof value === 'string') field.value = value
  }
}

function typedIn(field: Open): boolean | string {
  return field instanceof HTMLInputElement && field.type === 'checkbox'
    ? field.checked
    : field.value
}

function keyOf(form: HTMLFormElement): string {
  const value = (name: string) => String(new FormData(form).get(name) ?? '')
  const names = ['integration', 'auth', 'accountIdentifier']
  return `linchpin:form:${form.action}:${JSON.stringify(names.map(value))}`
}

function read(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
