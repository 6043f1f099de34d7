import { parseNumber } from '../form/parse-number.ts'
import type { SessionStorage } from './frame-session.ts'

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** Validates a field on blur and shows the error messages that the server rendered as data attributes. */
export function enhanceFields(main: HTMLElement): void {
  for (const form of main.querySelectorAll<HTMLFormElement>('form[method="post"]')) {
    form.addEventListener('focusout', ({ target }) => {
      afterPointerUp(() => {
        // Leaving a field empty is not an error before the form is submitted.
        if (
          isControl(target) &&
          target.isConnected &&
          (target.value !== '' || isMarkedInvalid(target))
        )
          validate(target)
      })
    })
    form.addEventListener('input', ({ target }) => {
      if (isControl(target) && isMarkedInvalid(target)) validate(target)
    })
  }
}

let isPointerDown = false
addEventListener('pointerdown', () => {
  isPointerDown = true
})
for (const end of ['pointerup', 'pointercancel'])
  addEventListener(end, () => {
    isPointerDown = false
  })

/** Delays a callback until the pointer is released: an error line moves the layout and would make the click miss. */
function afterPointerUp(callback: () => void): void {
  if (!isPointerDown) {
    callback()
    return
  }
  const listeners = new AbortController()
  for (const type of ['pointerup', 'pointercancel'])
    addEventListener(
      type,
      () => {
        listeners.abort()
        // `click` fires after `pointerup`.
        setTimeout(callback)
      },
      { signal: listeners.signal },
    )
}

/** Validates all fields of a form. Returns the first invalid one. */
export function findFirstInvalidField(form: HTMLFormElement): HTMLElement | undefined {
  const [first] = [...form.elements].filter(isControl).filter((one) => !validate(one))
  // A folded field cannot receive the focus.
  first?.closest('details')?.setAttribute('open', '')
  return first
}

function isControl(target: unknown): target is Control {
  return (
    (target instanceof HTMLInputElement && target.type !== 'hidden') ||
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement
  )
}

/** Validates one field, and shows or removes its error line. */
function validate(control: Control): boolean {
  const message = getErrorMessage(control)
  const existing = document.getElementById(`${control.id}-error`)
  if (message === undefined) {
    existing?.remove()
    control.removeAttribute('aria-invalid')
    setDescribedBy(control, false)
    return true
  }
  const line = existing ?? createErrorLine(control)
  if (line !== undefined) (line.querySelector('span') ?? line).textContent = message
  control.setAttribute('aria-invalid', 'true')
  setDescribedBy(control, true)
  return false
}

/**
 * The error message of a field; undefined when it is valid as far as the client can decide. The server validates again.
 * Values are trimmed as the server trims them.
 */
function getErrorMessage(control: Control): string | undefined {
  const { validity, dataset } = control
  if (validity.badInput || validity.typeMismatch) return dataset.type
  const text = dataset.exact === undefined ? control.value.trim() : control.value
  if (text === '') return control.required ? dataset.missing : undefined
  const isNumber = control.inputMode === 'numeric' || control.inputMode === 'decimal'
  return isNumber ? getNumberError(text, dataset) : getTextError(text, control)
}

function getNumberError(text: string, { type, low, lowWords, high, highWords }: DOMStringMap) {
  const number = parseNumber(text)
  if (number === undefined) return type
  if (low !== undefined && number < Number(low)) return lowWords
  return high !== undefined && number > Number(high) ? highWords : undefined
}

function getTextError(text: string, control: Control): string | undefined {
  const { dataset } = control
  const { least = 0, leastWords, most = Number.POSITIVE_INFINITY, mostWords } = dataset
  // Count code points, as the server does.
  const length = [...text].length
  if (length < Number(least)) return leastWords
  if (length > Number(most)) return mostWords
  const pattern = control instanceof HTMLInputElement ? control.pattern : ''
  return pattern === '' || new RegExp(`^(?:${pattern})$`, 'u').test(text)
    ? undefined
    : dataset.pattern
}

function isMarkedInvalid(control: Control): boolean {
  return control.getAttribute('aria-invalid') === 'true'
}

function createErrorLine(control: Control): HTMLElement | undefined {
  const template = document.querySelector<HTMLTemplateElement>('template[data-words="error"]')
  const line = template?.content.firstElementChild?.cloneNode(true)
  if (!(line instanceof HTMLElement)) return undefined
  line.id = `${control.id}-error`
  const help = document.getElementById(`${control.id}-help`)
  if (help === null) control.closest('.field')?.append(line)
  else help.before(line)
  return line
}

function setDescribedBy(control: Control, isInvalid: boolean): void {
  const error = `${control.id}-error`
  const help = (control.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .filter((id) => id !== '' && id !== error)
  const ids = isInvalid ? [error, ...help] : help
  if (ids.length === 0) control.removeAttribute('aria-describedby')
  else control.setAttribute('aria-describedby', ids.join(' '))
}

/** Enables the "Show" and "Hide" buttons of secret fields. */
export function enhanceReveal(main: HTMLElement): void {
  for (const button of main.querySelectorAll<HTMLButtonElement>('button[data-reveal]')) {
    const input = document.getElementById(button.dataset.reveal ?? '')
    if (!(input instanceof HTMLInputElement)) continue
    button.hidden = false
    button.addEventListener('click', () => {
      const isShown = input.type === 'password'
      const { show, hide, showLabel, hideLabel } = button.dataset
      input.type = isShown ? 'text' : 'password'
      button.textContent = (isShown ? hide : show) ?? ''
      button.setAttribute('aria-label', (isShown ? hideLabel : showLabel) ?? '')
    })
    // Password managers and browser autofill read the input type on submit.
    input.form?.addEventListener('submit', () => {
      if (input.type === 'text') button.click()
    })
  }
}

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
