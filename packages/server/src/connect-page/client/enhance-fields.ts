import { parseNumber } from '../form/parse-number.ts'

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** Tells what is wrong with a field once it is left, in the words that the server wrote beside it. */
export function enhanceFields(main: HTMLElement): void {
  for (const form of main.querySelectorAll<HTMLFormElement>('form[method="post"]')) {
    form.addEventListener('focusout', ({ target }) => {
      afterPointerUp(() => {
        // An empty field that is passed over is not wrong yet.
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

/** Words that appear move what stands below them: never away from under a press that has begun. */
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
        // The click comes after.
        setTimeout(callback)
      },
      { signal: listeners.signal },
    )
}

/** Tells all that is wrong with a form; answers the first field of it. */
export function firstInvalidField(form: HTMLFormElement): HTMLElement | undefined {
  return [...form.elements].filter(isControl).filter((one) => !validate(one))[0]
}

function isControl(target: unknown): target is Control {
  return (
    (target instanceof HTMLInputElement && target.type !== 'hidden') ||
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement
  )
}

/** Whether it is fine; the words beside it say so either way. */
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
 * The server's own judgement is the one that counts: only what is certain here is told here, of the text that it will read,
 * which has no blanks around it where none can be meant.
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
  // Characters as the server counts them.
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
  const template = document.querySelector<HTMLTemplateElement>('template[data-words="fault"]')
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
