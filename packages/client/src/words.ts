/** What is said while the page is not there. */
export interface HostWords {
  readonly title: string
  readonly loading: string
  readonly failed: string
  readonly close: string
}

const WORDS: Readonly<Record<string, HostWords>> = {
  en: {
    title: 'Connect a tool',
    loading: 'Loading',
    failed: 'This could not be opened. Close it and try again in a moment.',
    close: 'Close',
  },
  de: {
    title: 'Ein Tool verbinden',
    loading: 'Wird geladen',
    failed: 'Das ließ sich nicht öffnen. Schließen Sie es und versuchen Sie es gleich noch einmal.',
    close: 'Schließen',
  },
  fr: {
    title: 'Connecter un outil',
    loading: 'Chargement',
    failed: 'L’ouverture a échoué. Fermez, puis réessayez dans un instant.',
    close: 'Fermer',
  },
  es: {
    title: 'Conectar una herramienta',
    loading: 'Cargando',
    failed: 'No se pudo abrir. Cierre e inténtelo de nuevo en un momento.',
    close: 'Cerrar',
  },
  ja: {
    title: 'ツールを接続',
    loading: '読み込み中',
    failed: '開けませんでした。閉じて、しばらくしてからもう一度お試しください。',
    close: '閉じる',
  },
  ar: {
    title: 'ربط أداة',
    loading: 'جارٍ التحميل',
    failed: 'تعذّر الفتح. أغلق النافذة وحاول مرة أخرى بعد قليل.',
    close: 'إغلاق',
  },
}

/** The words of the language that is asked for, else of the browser's, else English. */
export function hostWords(lang: string | undefined): HostWords & { readonly lang: string } {
  const wanted = [lang ?? '', ...navigator.languages].map((one) => one.slice(0, 2).toLowerCase())
  const chosen = wanted.find((one) => Object.hasOwn(WORDS, one)) ?? 'en'
  return { ...(WORDS[chosen] as HostWords), lang: chosen }
}
