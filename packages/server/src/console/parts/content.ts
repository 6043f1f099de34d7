import { type Html, html } from '../../platform/ui/html.ts'
import type { Words } from '../words/en.ts'
import { type IconName, icon } from './icons.ts'

/** A value with a button that copies it. */
export function copyable(
  value: string,
  { app }: Words,
  shown: Html | string = html`<code>${value}</code>`,
): Html {
  return html`<span class="copyable">${shown}<button type="button" class="copy" data-copy="${value}" data-copied="${app.copied}" aria-label="${app.copy}" hidden>${icon('copy', 16)}</button></span>`
}

/** A command or a snippet, with a button that copies it. */
export function snippet(text: string, { app }: Words, label?: string): Html {
  return html`<figure class="snippet">${label === undefined ? '' : html`<figcaption>${label}</figcaption>`}<pre tabindex="0"><code>${text}</code></pre><button type="button" class="copy" data-copy="${text}" data-copied="${app.copied}" aria-label="${app.copy}" hidden>${icon('copy', 16)}</button></figure>`
}

export interface ButtonOptions {
  readonly text: string
  readonly icon?: IconName
  readonly kind?: 'primary' | 'danger' | undefined
  /** What its form sends if this button submits it. */
  readonly value?: readonly [name: string, value: string] | undefined
  /** Why it cannot be used: the button is disabled and says so. */
  readonly disabledBecause?: string | undefined
}

/** A link that looks like a button. */
export function linkButton(
  { text, icon: name, kind, disabledBecause }: ButtonOptions,
  href: string,
): Html {
  const content = html`${name === undefined ? '' : icon(name, 16)}<span>${text}</span>`
  return disabledBecause === undefined
    ? html`<a class="button ${kind}" href="${href}">${content}</a>`
    : html`<button type="button" class="button ${kind}" disabled title="${disabledBecause}">${content}</button><span class="unseen">${disabledBecause}</span>`
}

/** A button that submits its form. */
export function submitButton({
  text,
  icon: name,
  kind,
  value,
  disabledBecause,
}: ButtonOptions): Html {
  const content = html`${name === undefined ? '' : icon(name, 16)}<span>${text}</span>`
  return disabledBecause === undefined
    ? html`<button class="button ${kind}"${value && html` name="${value[0]}" value="${value[1]}"`}>${content}</button>`
    : html`<button type="button" class="button ${kind}" disabled title="${disabledBecause}">${content}</button><span class="unseen">${disabledBecause}</span>`
}

/** A panel: a heading and what belongs under it. */
export function panel(title: string, content: Html | string, more?: Html): Html {
  return html`<section class="panel"><header><h2>${title}</h2>${more}</header>${content}</section>`
}

/** A scope or a host, in a list of them. */
export function codeTag(text: string): Html {
  return html`<li class="tag"><code>${text}</code></li>`
}

/** The items of a list, the first twenty in sight: a customer may have granted hundreds of scopes. */
export function longList(items: readonly Html[], className: string, words: Words): Html {
  const shown = items.length > IN_SIGHT + 5 ? IN_SIGHT : items.length
  const list = (some: readonly Html[]) => html`<ul class="${className}">${some}</ul>`
  if (shown === items.length) return list(items)
  return html`${list(items.slice(0, shown))}<details class="help more-items"><summary>${words.app.showOthers(items.length - shown)}</summary>${list(items.slice(shown))}</details>`
}

const IN_SIGHT = 20

/** Facts: names and values. Values that are undefined are left out. */
export function facts(
  all: readonly (readonly [name: string, value: Html | string | undefined])[],
): Html {
  return html`<dl class="facts">${all
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

/** What is wrong, who has to act, one button. */
export function banner(
  tone: 'warn' | 'bad' | 'info' | 'good',
  {
    title,
    text,
    action,
  }: {
    readonly title: Html | string
    readonly text?: Html | string | undefined
    readonly action?: Html | undefined
  },
): Html {
  const name: IconName =
    tone === 'info' ? 'info' : tone === 'good' ? 'good' : tone === 'bad' ? 'error' : 'alert'
  return html`<div class="banner ${tone}" role="status">${icon(name)}<div><b>${title}</b>${text === undefined ? '' : html`<p>${text}</p>`}</div>${action}</div>`
}

/** The mark of an integration: its icon in a tile. */
export function tile(iconUrl: string, size: 'small' | 'large' = 'small'): Html {
  return html`<span class="tile ${size}"><img src="${iconUrl}" alt="" loading="lazy" width="20" height="20"></span>`
}
