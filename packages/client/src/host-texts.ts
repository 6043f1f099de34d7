/** Texts that are shown while the page is not loaded. */
export interface HostTexts {
  readonly title: string
  readonly loading: string
  readonly failed: string
  /** The page cannot be shown here: retrying does not help. */
  readonly notAllowed: string
  readonly close: string
}

const HOST_TEXTS: Readonly<Record<string, HostTexts>> = {
  en: {
    title: 'Connect a tool',
    loading: 'Loading',
    failed: 'This could not be opened. Close it and try again in a moment.',
    notAllowed: 'This cannot be opened here. Tell the site that you are on: it has to allow this.',
    close: 'Close',
  },
  de: {
    title: 'Ein Tool verbinden',
    loading: 'Wird geladen',
    failed: 'Das ließ sich nicht öffnen. Schließen Sie es und versuchen Sie es gleich noch einmal.',
    notAllowed:
      'Das lässt sich hier nicht öffnen. Sagen Sie es der Website, auf der Sie sind: Sie muss es erlauben.',
    close: 'Schließen',
  },
  fr: {
    title: 'Connecter un outil',
    loading: 'Chargement',
    failed: 'L’ouverture a échoué. Fermez, puis réessayez dans un instant.',
    notAllowed:
      'Cela ne peut pas s’ouvrir ici. Signalez-le au site où vous êtes : c’est à lui de l’autoriser.',
    close: 'Fermer',
  },
  es: {
    title: 'Conectar una herramienta',
    loading: 'Cargando',
    failed: 'No se pudo abrir. Cierre e inténtelo de nuevo en un momento.',
    notAllowed: 'No se puede abrir aquí. Avise al sitio en el que está: tiene que permitirlo.',
    close: 'Cerrar',
  },
  ja: {
    title: 'ツールを接続',
    loading: '読み込み中',
    failed: '開けませんでした。閉じて、しばらくしてからもう一度お試しください。',
    notAllowed:
      'ここでは開けません。ご利用中のサイトにお知らせください。サイト側の許可が必要です。',
    close: '閉じる',
  },
  ar: {
    title: 'ربط أداة',
    loading: 'جارٍ التحميل',
    failed: 'تعذّر الفتح. أغلق النافذة وحاول مرة أخرى بعد قليل.',
    notAllowed: 'لا يمكن فتح هذا هنا. أخبر الموقع الذي أنت فيه: عليه أن يسمح بذلك.',
    close: 'إغلاق',
  },
}

/** The texts in the requested language, otherwise in the browser's, otherwise in English. */
export function getHostTexts(lang: string | undefined): HostTexts & { readonly lang: string } {
  const preferred = [lang ?? '', ...navigator.languages].map((code) =>
    code.slice(0, 2).toLowerCase(),
  )
  const chosen = preferred.find((code) => Object.hasOwn(HOST_TEXTS, code)) ?? 'en'
  return { ...(HOST_TEXTS[chosen] as HostTexts), lang: chosen }
}
