/** How long the preview waits for the next letter, in milliseconds. */
const TYPING_MS = 300

/** Shows in the preview of a link what is typed in its form. */
export function followPreview(): void {
  const form = document.querySelector<HTMLFormElement>('#link-form')
  const controls = document.querySelector<HTMLFormElement>('form[data-preview-form]')
  const frame = document.querySelector<HTMLIFrameElement>('iframe[name=link-preview]')
  if (form === null || controls === null || frame === null) return
  controls.querySelector<HTMLElement>('[data-preview-button]')?.setAttribute('hidden', '')
  let shown = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  const show = () => {
    const params = new URLSearchParams()
    for (const [name, value] of new FormData(form))
      if (SETTINGS.includes(name)) params.append(name, String(value))
    for (const name of ['theme', 'lang'])
      params.set(name, String(new FormData(controls).get(name) ?? ''))
    const search = params.toString()
    if (search === shown) return
    shown = search
    frame.src = `/console/preview/link?${search}`
  }
  const schedule = () => {
    clearTimeout(timer)
    timer = setTimeout(show, TYPING_MS)
  }
  form.addEventListener('input', schedule)
  controls.addEventListener('input', schedule)
}

/** The fields that change how the page looks. */
const SETTINGS = ['offer', 'categories', 'integrations', 'preferOAuth']
