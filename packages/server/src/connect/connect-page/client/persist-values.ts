import type { SessionStorage } from './frame-session.ts'

/** Preserves entered values across a reload, except secrets. */
export function persistValues(main: HTMLElement, storage: SessionStorage): void {
  const form = main.querySelector<HTMLFormElement>('form[method="post"]')
  if (form === null) return
  const key = getStorageKey(form)
  const fields = [...form.elements].filter(isPersistable)
  // A rejected form already contains the entered values.
  if (main.dataset.state !== 'failed') restore(fields, parseValues(storage.get(key)))
  form.addEventListener('input', () => {
    storage.set(
      key,
      JSON.stringify(Object.fromEntries(fields.map((one) => [one.name, getCurrentValue(one)]))),
    )
  })
}

/** Deletes the stored values after a successful submission. */
export function clearPersistedValues(form: HTMLFormElement, storage: SessionStorage): void {
  storage.delete(getStorageKey(form))
}

type PersistableField = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

function isPersistable(element: Element): element is PersistableField {
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

function restore(
  fields: readonly PersistableField[],
  values: Readonly<Record<string, unknown>>,
): void {
  for (const field of fields) {
    const value = Object.hasOwn(values, field.name) ? values[field.name] : undefined
    if (typeof value === 'boolean' && field instanceof HTMLInputElement) field.checked = value
    else if (typeof value === 'string') field.value = value
  }
}

function getCurrentValue(field: PersistableField): boolean | string {
  return field instanceof HTMLInputElement && field.type === 'checkbox'
    ? field.checked
    : field.value
}

function getStorageKey(form: HTMLFormElement): string {
  const value = (name: string) => String(new FormData(form).get(name) ?? '')
  const names = ['integration', 'auth', 'accountIdentifier']
  return `linchpin:form:${form.action}:${JSON.stringify(names.map(value))}`
}

function parseValues(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
