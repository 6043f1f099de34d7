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
    failed: "This couldn't be opened. Close it and try again in a moment.",
    notAllowed: "This can't be opened here. Ask the company that runs this site to allow it.",
    close: 'Close',
  },
  de: {
    title: 'Ein Tool verbinden',
    loading: 'Wird geladen',
    failed: 'Das ließ sich nicht öffnen. Schließen Sie es und versuchen Sie es gleich noch einmal.',
    notAllowed:
      'Das lässt sich hier nicht öffnen. Bitten Sie den Betreiber dieser Website, es zu erlauben.',
    close: 'Schließen',
  },
  fr: {
    title: 'Connecter un outil',
    loading: 'Chargement',
    failed: 'L’ouverture a échoué. Fermez, puis réessayez dans un instant.',
    notAllowed:
      'Cela ne peut pas s’ouvrir ici. Demandez à l’entreprise qui gère ce site de l’autoriser.',
    close: 'Fermer',
  },
  es: {
    title: 'Conectar una herramienta',
    loading: 'Cargando',
    failed: 'No se pudo abrir. Cierre e inténtelo de nuevo en un momento.',
    notAllowed: 'No se puede abrir aquí. Pida a la empresa que gestiona este sitio que lo permita.',
    close: 'Cerrar',
  },
  it: {
    title: 'Collega uno strumento',
    loading: 'Caricamento',
    failed: 'Apertura non riuscita. Chiudi e riprova tra poco.',
    notAllowed:
      'Non si può aprire qui. Chiedi all’azienda che gestisce questo sito di consentirlo.',
    close: 'Chiudi',
  },
  pt: {
    title: 'Conectar uma ferramenta',
    loading: 'Carregando',
    failed: 'Não foi possível abrir. Feche e tente novamente em instantes.',
    notAllowed: 'Não é possível abrir aqui. Peça à empresa responsável por este site que permita.',
    close: 'Fechar',
  },
  ja: {
    title: 'ツールを接続',
    loading: '読み込み中',
    failed: '開けませんでした。閉じて、しばらくしてからもう一度お試しください。',
    notAllowed: 'ここでは開けません。このサイトの運営会社に許可を依頼してください。',
    close: '閉じる',
  },
  ar: {
    title: 'ربط أداة',
    loading: 'جارٍ التحميل',
    failed: 'تعذّر الفتح. أغلق النافذة وحاول مرة أخرى بعد قليل.',
    notAllowed: 'لا يمكن فتح هذا هنا. اطلب من الشركة التي تدير هذا الموقع السماح بذلك.',
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
