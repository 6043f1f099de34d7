/** Lets the browser fill in the forms that need a passkey. May run again after each render. */
export function fillPasskeyForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) fill(form)
}

function fill(form: HTMLFormElement): void {
  // Browsers have it since 2025 at the latest, in secure contexts only.
  const isSupported =
    'PublicKeyCredential' in globalThis && 'parseCreationOptionsFromJSON' in PublicKeyCredential
  if (!isSupported) return
  show(form, '[data-passkey-part]', true)
  show(form, '[data-passkey-missing]', false)
  form.onsubmit = (event) => {
    const field = form.elements.namedItem('response')
    if (!(field instanceof HTMLInputElement) || field.value !== '') return
    event.preventDefault()
    show(form, '[data-passkey-error]', false)
    void ask(form).then(
      (credential) => {
        field.value = JSON.stringify(credential)
        form.requestSubmit()
        // Another attempt needs another signature.
        field.value = ''
      },
      (error: unknown) => showError(form, error),
    )
  }
}

async function ask({ dataset }: HTMLFormElement): Promise<unknown> {
  const options = JSON.parse(dataset.options ?? '{}')
  const credential =
    dataset.passkey === 'create'
      ? await navigator.credentials.create({
          publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
        })
      : await navigator.credentials.get({
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
        })
  return (credential as PublicKeyCredential).toJSON()
}

function showError(form: HTMLFormElement, error: unknown): void {
  const { cancelled = '', known = '' } = form.dataset
  const isKnown = error instanceof DOMException && error.name === 'InvalidStateError'
  const note = form.querySelector('[data-passkey-error]')
  if (note !== null) note.textContent = isKnown ? known : cancelled
  show(form, '[data-passkey-error]', true)
}

function show(form: HTMLFormElement, selector: string, isShown: boolean): void {
  const element = form.querySelector<HTMLElement>(selector)
  if (element !== null) element.hidden = !isShown
}
