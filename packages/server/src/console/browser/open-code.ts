/** Submits the code in the fragment of the address, or fills it in where a person has to submit it: a fragment is in no log of a proxy. */
export function openCode(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-code-form]')
  const code = location.hash.slice(1)
  if (form === null || code === '') return
  history.replaceState(null, '', location.pathname + location.search)
  const field = form.elements.namedItem('code')
  if (!(field instanceof HTMLInputElement)) return
  field.value = code
  if (form.dataset.codeForm === 'ask') form.closest('details')?.setAttribute('open', '')
  else form.requestSubmit()
}
