type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** Tells what is wrong with a field once it is left, in the words that the server wrote beside it. */
export function enhanceFields(main: HTMLElement): void {
  for (const form of main.querySelectorAll<HTMLFormElement>('form[method="post"]')) {
    form.addEventListener('focusout', ({ target }) => {
      afterPress(() => {
        // An empty field that is passed over is not wrong yet.
        if (isControl(target) && target.isConnected && (target.value !== '' || isTold(target)))
          judge(target)
      })
    })
    form.addEventListener('input', ({ target }) => {
      if (isControl(target) && isTold(target)) judge(target)
    })
  }
}

let isPressing = false
addEventListener('pointerdown', () => {
  isPressing = true
})
for (const end of ['pointerup', 'pointercancel'])
  addEventListener(end, () => {
    isPressing = false
  })

/** Words that appear move what stands below them: never away from under a press that has begun. */
function afterPress(act: () => void): void {
  if (!isPressing) {
    act()
    return
  }
  const end = new AbortController()
  for (const type of ['pointerup', 'pointercancel'])
    addEventListener(
      type,
      () => {
        end.abort()
        // The click comes after.
        setTimeout(act)
      },
      { signal: end.signal },
    )
}

/** Tells all that is wrong with a form; answers the first field of it. */
export function firstFault(form: HTMLFormElement): HTMLElement | undefined {
  return [...form.elements].filter(isControl).filter((one) => !judge(one))[0]
}

function isControl(target: unknown): target is Control {
  return (
    (target instanceof HTMLInputElement && target.type !== 'hidden') ||
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement
  )
}

/** Whether it is fine; the words beside it say so either way. */
function judge(control: Control): boolean {
  const fault = faultOf(control)
  const old = document.getElementById(`${control.id}-error`)
  if (fault === undefined) {
    old?.remove()
    control.removeAttribute('aria-invalid')
    describe(control, false)
    return true
  }
  const line = old ?? newLine(control)
  if (line !== undefined) (line.querySelector('span') ?? line).textContent = fault
  control.setAttribute('aria-invalid', 'true')
  describe(control, true)
  return false
}

/** The server's own judgement is the one that counts: only what is certain here is told here. */
function faultOf(control: Control): string | undefined {
  const { validity, dataset, value } = control
  if (validity.valueMissing) return dataset.missing
  if (value === '') return undefined
  const isNumber = control.inputMode === 'numeric' || control.inputMode === 'decimal'
  if (validity.typeMismatch || validity.badInput || (isNumber && !NUMBER.test(value.trim())))
    return dataset.type
  if (Number(control.getAttribute('minlength')) > value.length) return dataset.short
  return validity.patternMismatch ? dataset.pattern : undefined
}

const NUMBER = /^[-+]?[\d.,'\s]*\d[\d.,'\s]*(?:e[-+]?\d+)?$/i

function isTold(control: Control): boolean {
  return control.getAttribute('aria-invalid') === 'true'
}

function newLine(control: Control): HTMLElement | undefined {
  const template = document.querySelector<HTMLTemplateElement>('template[data-words="fault"]')
  const line = template?.content.firstElementChild?.cloneNode(true)
  if (!(line instanceof HTMLElement)) return undefined
  line.id = `${control.id}-error`
  const field = control.closest('.field')
  const place = control.type === 'checkbox' ? control.nextElementSibling : field
  place?.append(line)
  return line
}

function describe(control: Control, isWrong: boolean): void {
  const error = `${control.id}-error`
  const help = (control.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .filter((id) => id !== '' && id !== error)
  const all = isWrong ? [...help, error] : help
  if (all.length === 0) control.removeAttribute('aria-describedby')
  else control.setAttribute('aria-describedby', all.join(' '))
}
