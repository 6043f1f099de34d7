/** "Show" and "Hide" of secrets. */
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
    // Password managers and browsers' own form memory look at the type when a form is sent.
    input.form?.addEventListener('submit', () => {
      if (input.type === 'text') button.click()
    })
  }
}
