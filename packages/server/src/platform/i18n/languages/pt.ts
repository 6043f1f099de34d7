import { createTextTag, getFormatters } from '../localized-text.ts'
import type { Translation } from '../messages.ts'

const LOCALE = 'pt'
const THIS_APP = 'este aplicativo'
const { day, daysAgo, minute, number, plural, relativeTime } = getFormatters(LOCALE)
const t = createTextTag(THIS_APP)

/** Portuguese as written in Brazil. */
export const pt = {
  locale: LOCALE,
  direction: 'ltr',
  technicalTerms: /oauth|bundle|credencia|autentica|provedor|!/i,
  secured: 'Protegido por Linchpin',
  privacy: 'Privacidade',
  terms: 'Termos',
  thisApp: THIS_APP,
  action: {
    back: 'Voltar',
    close: 'Fechar',
    cancel: 'Cancelar',
    done: 'Concluir',
    tryAgain: 'Tentar novamente',
    continue: 'Continuar',
    startAgain: 'Começar de novo',
    checkAgain: 'Verificar novamente',
    chooseAnother: 'Escolher outra ferramenta',
    connectAnother: 'Conectar outra ferramenta',
    updateConnection: 'Atualizar a conexão',
    addConnection: 'Adicionar outra conexão',
    openAgain: 'Abrir a janela novamente',
    connect: ({ tool }) => t`Conectar ${tool}`,
    continueTo: ({ tool }) => t`Continuar para ${tool}`,
    returnTo: ({ workspace }) => t`Voltar para ${workspace}`,
    returning: ({ workspace }) => t`Voltando para ${workspace}…`,
    stay: 'Ficar nesta página',
  },
  picker: {
    title: ({ workspace }) => t`Conecte suas ferramentas a ${workspace}`,
    body: 'Escolha uma ferramenta. Nada é compartilhado até você conectá-la.',
    search: 'Buscar ferramentas',
    searchButton: 'Buscar',
    skip: 'Ir para as ferramentas',
    clear: 'Mostrar todas as ferramentas',
    categories: 'Categorias',
    all: 'Todas',
    resultCount: ({ count }) =>
      plural(count, {
        one: `${number(count)} ferramenta`,
        other: `${number(count)} ferramentas`,
      }),
    noMatch: ({ query }) => ({
      title: t`Nenhuma ferramenta corresponde a “${query}”`,
      body: 'Verifique a ortografia ou tente uma palavra mais curta.',
    }),
    connectedHere: 'Conectadas agora',
    connected: 'Conectado',
    custom: 'Própria',
    test: 'Teste',
    category: {
      accounting: 'Contabilidade',
      ai: 'IA',
      analytics: 'Análise de dados',
      ats: 'Recrutamento',
      calendar: 'Agenda',
      crm: 'CRM',
      developer_tools: 'Desenvolvimento',
      documentation: 'Documentação',
      hris: 'Recursos humanos',
      identity: 'Identidade',
      mail: 'E-mail',
      marketing: 'Marketing',
      messaging: 'Comunicação',
      other: 'Outras',
      payments: 'Pagamentos',
      project_management: 'Projetos',
      social: 'Redes sociais',
      storage: 'Arquivos',
      support: 'Atendimento',
      ticketing: 'Chamados',
    },
  },
  auth: {
    title: ({ tool }) => t`Como você quer conectar ${tool}?`,
    body: 'Escolha o que for mais fácil para você. Você pode desconectar quando quiser.',
    signIn: ({ tool }) => t`Entrar em ${tool}`,
    signInLine: ({ host }) => t`Entre em ${host}. Você não precisa copiar nada.`,
    recommended: 'Recomendado',
    apiKey: 'Usar uma chave de API',
    apiKeyLine: ({ tool }) => t`Copie uma chave das suas configurações em ${tool}.`,
    tokenLine: ({ tool }) => t`Copie um token das suas configurações em ${tool}.`,
    token: 'Usar um token de acesso',
    password: 'Usar nome de usuário e senha',
    passwordLine: 'Guardamos sua senha criptografada.',
    fieldsLine: ({ label }) => t`Você precisa de: ${label}.`,
    scopes: ({ workspace }) => t`${workspace} poderá:`,
    newScopes: ({ workspace }) => t`Novo: ${workspace} também poderá:`,
    moreScopes: ({ count }) => `Mais ${number(count)}`,
    other: ({ label }) => t`Usar ${label}`,
  },
  form: {
    title: ({ tool, workspace }) => t`Conectar ${tool} a ${workspace}`,
    reconnectTitle: ({ tool, workspace }) => t`Reconectar ${tool} a ${workspace}`,
    change: 'Alterar',
    body: ({ workspace, tool }) =>
      t`${workspace} poderá fazer em ${tool} tudo o que esses dados permitem. Nós os verificamos com ${tool} e os guardamos criptografados. Você pode desconectar quando quiser.`,
    bodyForKey: ({ workspace, tool }) =>
      t`${workspace} poderá fazer em ${tool} tudo o que essa chave permite. Nós a verificamos com ${tool} e a guardamos criptografada. Você pode desconectar quando quiser.`,
    custom: ({ workspace, tool }) =>
      t`${workspace} criou esta conexão com ${tool}; ela não foi revisada. Continue somente se confiar nela.`,
    optional: 'opcional',
    choose: 'Escolha',
    show: 'Mostrar',
    hide: 'Ocultar',
    showField: ({ label }) => t`Mostrar ${label}`,
    hideField: ({ label }) => t`Ocultar ${label}`,
    whereToFind: 'Onde encontro isso?',
    newWindow: 'abre uma nova janela',
    fieldErrors: ({ count }) =>
      plural(count, { one: 'Verifique um campo', other: `Verifique ${number(count)} campos` }),
    reenterSecrets:
      'Para sua segurança, esta página não guarda chaves nem senhas. Digite-as novamente.',
    sessionLost:
      'Esta página ficou aberta por muito tempo ou os cookies estão bloqueados. Nada foi enviado. Confira o formulário e envie-o novamente.',
    missing: ({ label }) => t`Preencha: ${label}`,
    notChosen: ({ label }) => t`Escolha: ${label}`,
    notEmail: 'Digite um endereço de e-mail, como nome@example.com',
    notUrl: 'Digite um endereço completo, como https://example.com',
    notNumber: 'Digite um número',
    notDate: 'Digite uma data',
    tooShort: ({ count }) =>
      plural(count, {
        one: 'Digite pelo menos um caractere',
        other: `Digite pelo menos ${number(count)} caracteres`,
      }),
    tooLong: ({ count }) =>
      plural(count, {
        one: 'Digite no máximo um caractere',
        other: `Digite no máximo ${number(count)} caracteres`,
      }),
    tooSmall: ({ count }) => `Digite ${number(count)} ou mais`,
    tooLarge: ({ count }) => `Digite ${number(count)} ou menos`,
    patternMismatch: ({ label }) => t`Verifique ${label}: o formato não é o esperado`,
    example: ({ label }) => t`Por exemplo ${label}`,
    linesHelp: 'Digite um item por linha.',
    jsonHelp: 'Digite em formato JSON.',
  },
  states: {
    noneInWorkspace: ({ workspace }) => ({
      title: 'Ainda não há nada para conectar',
      body: t`${workspace} ainda não adicionou ferramentas a este link. Peça a ${workspace} que adicione uma.`,
    }),
    noneMatchKeys: ({ workspace }) => ({
      title: 'Não há nada para conectar aqui',
      body: t`Este link pede ferramentas que ${workspace} não oferece. Fale com ${workspace}.`,
    }),
    noneWithSignIn: ({ workspace }) => ({
      title: 'Não há onde entrar',
      body: t`Este link só aceita ferramentas em que você entra com a sua conta, e ${workspace} não configurou nenhuma. Fale com ${workspace}.`,
    }),
    appMissing: ({ workspace, tool }) => ({
      title: t`${tool} ainda não está configurado`,
      body: t`${workspace} precisa configurar a entrada em ${tool} antes que você possa conectá-lo. Fale com ${workspace}.`,
    }),
    appRemoved: ({ workspace, tool }) => ({
      title: t`${tool} não pode ser reconectado agora`,
      body: t`Antes, ${workspace} precisa configurar de novo a entrada em ${tool}. Sua conexão não mudou. Fale com ${workspace}.`,
    }),
    toolGone: ({ workspace }) => ({
      title: 'Esta ferramenta não está mais disponível aqui',
      body: t`${workspace} não a oferece mais. Nada mudou. Fale com ${workspace} se ainda precisar dela.`,
    }),
    signIn: ({ workspace, tool, host }) => ({
      title: t`Conectar ${tool} a ${workspace}`,
      body: t`Você entrará em ${host}, onde verá o que compartilha. ${workspace} nunca vê a sua senha.`,
    }),
    signInAgain: ({ workspace, tool, host }) => ({
      title: t`Reconectar ${tool} a ${workspace}`,
      body: t`Você entrará em ${host}, onde verá o que compartilha. ${workspace} nunca vê a sua senha.`,
    }),
    beforeSignIn: ({ workspace, tool, host }) => ({
      title: t`${workspace} criou esta conexão com ${tool}; ela não foi revisada. Continue somente se você conhece ${host}.`,
      body: t`Você pode desconectar quando quiser. Se você não pediu isto, feche a página: nada é compartilhado com ${workspace}.`,
    }),
    waitingSignIn: ({ tool }) => ({
      title: t`Conclua a entrada em ${tool}`,
      body: t`${tool} está aberto em outra janela. Quando você terminar lá, esta página será atualizada automaticamente.`,
    }),
    popupBlocked: ({ tool }) => ({
      title: 'Seu navegador bloqueou a janela',
      body: t`Continue para ${tool} nesta mesma página. Depois você voltará para cá.`,
    }),
    popupBlockedInFrame: ({ tool }) => ({
      title: 'Seu navegador bloqueou a janela',
      body: t`Continue para ${tool} em uma nova aba. Quando você terminar lá, esta página será atualizada automaticamente.`,
    }),
    windowClosed: ({ tool }) => ({
      title: 'Entrada não concluída',
      body: t`A janela de entrada em ${tool} parece estar fechada. Tente novamente ou, se ela ainda estiver aberta, conclua nela: esta página será atualizada automaticamente.`,
    }),
    checking: ({ tool }) => ({
      title: t`Verificando com ${tool}`,
      body: 'Isso leva alguns segundos. Deixe esta página aberta.',
    }),
    slow: ({ tool }) => ({
      title: t`${tool} está demorando mais que o normal`,
      body: t`Você pode continuar esperando ou tentar mais tarde. Nada é conectado até ${tool} responder.`,
    }),
    offline: () => ({
      title: 'Você está sem conexão',
      body: 'O que você digitou continua aqui. Verifique sua conexão e tente novamente.',
    }),
    connected: ({ workspace, tool }) => ({
      title: t`${tool} está conectado`,
      body: t`Você pode fechar esta página e voltar para ${workspace}.`,
    }),
    connectedAs: ({ workspace, tool, account }) => ({
      title: t`${tool} está conectado`,
      body: t`Conectado como ${account}. Você pode fechar esta página e voltar para ${workspace}.`,
    }),
    failed: ({ tool }) => ({
      title: t`${tool} não foi conectado`,
      body: 'Nada é compartilhado.',
    }),
    chooseFacts: ({ tool }) => ({
      title: t`Escolha o que conectar no ${tool}`,
      body: t`O seu acesso ao ${tool} abrange mais de uma opção.`,
    }),
    alreadyConnected: ({ tool, account }) => ({
      title: t`Você já conectou ${account}`,
      body: t`Atualize a conexão existente com ${tool} ou adicione outra. Até você escolher, nada muda.`,
    }),
    expired: ({ workspace, at }) => ({
      title: t`Este link expirou em ${day(at)}`,
      body: t`Peça um novo a ${workspace}. O que você já conectou continua conectado.`,
    }),
    revoked: ({ workspace }) => ({
      title: t`${workspace} encerrou este link`,
      body: t`Peça um novo a ${workspace}. O que você já conectou continua conectado.`,
    }),
    unknownLink: () => ({
      title: 'Não encontramos este link',
      body: 'Talvez falte uma parte. Abra-o novamente de onde você o recebeu ou peça um novo.',
    }),
    full: ({ workspace }) => ({
      title: 'Este link atingiu o limite',
      body: t`Tudo o que ele permite já está conectado. Peça um novo a ${workspace}.`,
    }),
    identifierFull: ({ workspace }) => ({
      title: 'Você conectou tudo o que este link permite',
      body: t`Para conectar mais, peça um novo link a ${workspace}.`,
    }),
    alreadyFinished: ({ tool }) => ({
      title: 'Isto já foi feito',
      body: t`Você já enviou este formulário de ${tool}. Nada foi feito duas vezes.`,
    }),
    stillRunning: ({ tool }) => ({
      title: t`Ainda estamos verificando com ${tool}`,
      body: 'Você já enviou este formulário. A verificação continua, e nada é feito duas vezes.',
    }),
    rateLimited: ({ seconds }) => ({
      title: 'Muitas solicitações',
      body: t`Tente novamente ${relativeTime(seconds)}. O que já está conectado continua conectado.`,
    }),
    tooManyFailed: ({ seconds }) => ({
      title: 'Muitas tentativas sem sucesso',
      body: t`Muitas tentativas do seu navegador ou da sua rede foram recusadas. Tente novamente ${relativeTime(seconds)}. O que já está conectado continua conectado.`,
    }),
    notHere: () => ({
      title: 'Esta página não pode ser exibida aqui',
      body: 'Este site não está na lista dos que podem exibi-la. Peça à empresa responsável pelo site que o adicione.',
    }),
    notOurs: () => ({
      title: 'Não foi possível enviar este formulário',
      body: 'Para sua segurança, só aceitamos formulários desta própria página, por isso nada foi feito. Abra seu link novamente e envie o formulário por lá.',
    }),
    sessionStart: ({ workspace }) => ({
      title: t`${workspace} pede que conecte uma ferramenta`,
      body: t`Na próxima página, você escolhe o que conectar. Continue somente se veio de ${workspace}; depois disso, a página funciona apenas neste navegador.`,
    }),
    sessionStartOne: ({ workspace, tool }) => ({
      title: t`Conectar ${tool} a ${workspace}`,
      body: t`Continue somente se veio de ${workspace}; depois disso, a página funciona apenas neste navegador.`,
    }),
    sessionRefused: () => ({
      title: 'Não é possível usar esta página',
      body: 'Ela funciona uma vez, em um só navegador e por tempo limitado. Volte para onde estava e comece de novo.',
    }),
    sessionUsed: ({ workspace }) => ({
      title: 'Este link já foi usado',
      body: t`O que ele permitia já foi feito. Para conectar outra coisa, peça um novo a ${workspace}.`,
    }),
    sessionElsewhere: ({ workspace }) => ({
      title: 'Este link foi aberto em outro navegador',
      body: t`Para sua segurança, ele funciona apenas no primeiro navegador que o abriu. Continue lá ou peça um novo a ${workspace}.`,
    }),
    sessionRequired: () => ({
      title: 'Esta página exige um convite',
      body: 'Volte ao aplicativo que enviou você para cá e comece por lá.',
    }),
    wrongAddress: () => ({
      title: 'Este link não é válido',
      body: 'Ele não indica corretamente para quem é, por isso nada foi feito. Fale com a empresa que o enviou.',
    }),
    notOffered: ({ workspace, tool }) => ({
      title: t`${tool} não está mais disponível aqui`,
      body: t`${workspace} mudou este link. Nada está conectado, e não guardamos nada do que você digitou.`,
    }),
    wayChanged: ({ workspace, tool }) => ({
      title: t`${tool} agora é conectado de outra forma`,
      body: t`${workspace} mudou esta conexão. Nada está conectado, e não guardamos nada do que você digitou.`,
    }),
    redirectNotAllowed: () => ({
      title: 'Este link volta para um endereço não permitido',
      body: 'A empresa que o enviou não permitiu esse endereço, por isso nada foi feito. Fale com essa empresa.',
    }),
    busy: () => ({
      title: 'Não podemos continuar agora',
      body: 'O problema é nosso, e nada foi conectado. Espere um minuto e comece de novo.',
    }),
    closed: () => ({
      title: 'Você pode fechar esta janela',
      body: 'A página de onde você veio será atualizada automaticamente.',
    }),
    notKnown: () => ({
      title: 'Esta página expirou',
      body: 'Ela já foi usada ou se passaram 10 minutos. Volte para onde você estava e comece de novo.',
    }),
    finished: () => ({
      title: 'Isto já foi feito',
      body: 'Você pode fechar esta página. A página de onde você veio mostra se a conexão funcionou.',
    }),
    adminConsent: () => ({
      title: 'A permissão do administrador foi concedida',
      body: 'Nada está conectado ainda. Volte ao aplicativo que você quer conectar e comece por lá.',
    }),
    startedElsewhere: () => ({
      title: 'Este login precisa começar em outro lugar',
      body: 'O aplicativo que você quer conectar não o iniciou, por isso nada foi conectado. Abra esse aplicativo e conecte por lá.',
    }),
    otherBrowser: () => ({
      title: 'Isto foi iniciado em outro navegador',
      body: 'Para sua segurança, interrompemos e nada foi conectado. Comece de novo e use um só navegador. Os cookies precisam estar permitidos.',
    }),
  },
  portal: {
    start: ({ workspace }) => ({
      title: t`Suas conexões com ${workspace}`,
      body: t`A próxima página mostra o que você conectou a ${workspace}. Continue somente se veio de ${workspace}; depois, esta página funciona apenas neste navegador.`,
    }),
    title: ({ workspace }) => t`Suas conexões com ${workspace}`,
    body: 'Desconecte o que não precisa mais.',
    attention: ({ count, total }) =>
      plural(count, {
        one: `${number(count)} de ${number(total)} conexões precisa de atenção`,
        other: `${number(count)} de ${number(total)} conexões precisam de atenção`,
      }),
    none: ({ workspace }) => ({
      title: 'Nada está conectado',
      body: t`As ferramentas que você conecta a ${workspace} aparecem aqui.`,
    }),
    signedInAs: ({ account }) => t`Conectado como ${account}`,
    connectedOn: ({ at }) => `Adicionado em ${day(at)}`,
    lastUsedOn: ({ at }) => `Último uso em ${day(at)}`,
    lastUsedAgo: ({ count }) => `Último uso: ${daysAgo(count)}`,
    neverUsed: 'Ainda não usado',
    active: 'Funcionando',
    unchecked: 'Ainda não verificado',
    needsReauth: 'Parou de funcionar. Conecte de novo.',
    error: ({ workspace }) => t`Não está funcionando no momento. ${workspace} precisa corrigir.`,
    pending: ({ workspace }) => t`Aguardando a confirmação de ${workspace}`,
    more: ({ tool, account }) => t`Mais ações para ${tool}: ${account}`,
    disconnect: 'Desconectar',
    disconnectAccount: ({ tool, account }) => t`Desconectar ${tool}: ${account}`,
    reconnect: 'Reconectar',
    reconnectAccount: ({ tool, account }) => t`Reconectar ${tool}: ${account}`,
    connectFirst: 'Conectar uma ferramenta',
    showMore: 'Mostrar mais',
    yourConnections: 'Suas conexões',
    ask: ({ tool, workspace }) => ({
      title: t`Desconectar ${tool}?`,
      body: t`${workspace} não poderá mais usar esta conexão, e o que armazenamos será apagado. Você pode conectar ${tool} de novo a qualquer momento.`,
    }),
    confirm: ({ tool }) => t`Desconectar ${tool}`,
    keep: 'Manter a conexão',
    disconnected: ({ tool }) => t`${tool} está desconectado`,
    revoked: ({ tool }) =>
      t`${tool} confirmou que revogou o acesso, e apagamos o que tínhamos armazenado.`,
    revocationUnsupported: ({ tool }) =>
      t`Apagamos o que tínhamos armazenado. ${tool} não nos permite revogar o acesso; você pode fazer isso nas suas configurações de ${tool}.`,
    revocationFailed: ({ tool }) =>
      t`Apagamos o que tínhamos armazenado, mas ${tool} não confirmou que revogou o acesso. Por segurança, remova-o nas suas configurações de ${tool}.`,
    grantShared: ({ tool }) =>
      t`Apagamos o que tínhamos armazenado. Outra conexão usa o mesmo acesso a ${tool}; ele será revogado quando você desconectar essa também.`,
    nothingToRevoke: ({ tool }) =>
      t`Apagamos o que tínhamos armazenado. Se você criou uma chave para isto, exclua-a nas suas configurações de ${tool}.`,
    gone: () => ({
      title: 'Esta conexão não está mais na lista',
      body: 'Talvez já tenha sido desconectada. Nada foi alterado.',
    }),
    agents: {
      link: 'Assistentes de IA',
      ofAccount: ({ tool, account }) => t`Assistentes de IA e ${tool}: ${account}`,
      ask: ({ tool, workspace }) => ({
        title: t`O que os assistentes de IA podem fazer no ${tool}?`,
        body: t`Os assistentes de IA do ${workspace} podem usar esta conexão, dentro dos limites definidos pelo ${workspace}. Você pode restringi-los ainda mais.`,
      }),
      label: 'Os assistentes de IA podem',
      access: {
        full: 'ler e alterar',
        read_only: 'apenas ler',
        paused: 'não fazer nada',
      },
      save: 'Salvar',
      saved: 'Salvo. Vale a partir de agora.',
      restricted: {
        read_only: 'Os assistentes de IA podem apenas ler',
        paused: 'Em pausa para os assistentes de IA',
      },
      recent: 'Últimas solicitações',
      none: 'Nenhuma ainda.',
      read: 'Leitura',
      changed: 'Enviada',
      refused: 'Não enviada',
      at: ({ at }) => minute(at),
      clients: 'Aplicativos com acesso às suas conexões',
      endAccess: 'Encerrar acesso',
      endAccessOf: ({ client }) => t`Encerrar acesso: ${client}`,
    },
  },
  failures: {
    access_denied: () =>
      'O acesso foi negado. Nada é compartilhado. Se foi um engano, comece de novo.',
    admin_consent_granted: ({ tool }) =>
      t`Um administrador de ${tool} deu permissão, mas ninguém entrou ainda. Comece de novo para conectar sua conta.`,
    already_connected: ({ tool }) =>
      t`Você já conectou ${tool} com esta conta. Comece de novo para atualizar essa conexão ou adicionar outra.`,
    authorization_request_failed: ({ workspace, tool }) =>
      t`${tool} não aceitou a solicitação de entrada. Nada é compartilhado. Fale com ${workspace}: só lá podem corrigir isso.`,
    cancelled: ({ tool }) =>
      t`Você cancelou antes da resposta de ${tool}. Nada está conectado. Comece de novo quando quiser.`,
    credentials_rejected: ({ workspace, tool }) =>
      t`${tool} não aceitou o que você digitou. Confira e tente novamente. Ainda não funciona? Fale com ${workspace}.`,
    egress_unavailable: ({ workspace, tool }) =>
      t`Não conseguimos acessar ${tool} por um problema na nossa rede. Tente novamente em alguns minutos. Ainda não funciona? Fale com ${workspace}.`,
    identity_mismatch: ({ tool }) =>
      t`Você entrou em ${tool} com uma conta diferente da anterior. Saia de lá e comece de novo com a mesma conta.`,
    insufficient_scope: ({ tool }) =>
      t`${tool} aceitou esta chave, mas ela não tem permissões suficientes. Adicione-as em ${tool} ou use outra chave.`,
    integration_failed: ({ workspace, tool }) =>
      t`Não foi possível conectar ${tool} por um erro nosso. Tente novamente; se continuar acontecendo, fale com ${workspace}.`,
    integration_timeout: ({ workspace, tool }) =>
      t`A conexão com ${tool} demorou demais. Tente novamente; se continuar acontecendo, fale com ${workspace}.`,
    key_rejected: ({ workspace, tool }) =>
      t`${tool} não aceitou esta chave. Confira se você a copiou inteira ou crie uma nova. Ainda não funciona? Fale com ${workspace}.`,
    link_expired: ({ workspace }) => t`Este link expirou. Peça um novo a ${workspace}.`,
    link_full: ({ workspace }) => t`Este link atingiu o limite. Peça um novo a ${workspace}.`,
    link_identifier_full: ({ workspace }) =>
      t`Você conectou tudo o que este link permite. Peça um novo a ${workspace}.`,
    link_revoked: ({ workspace }) => t`${workspace} encerrou este link. Peça um novo.`,
    oauth_app_missing: ({ workspace, tool }) =>
      t`A entrada em ${tool} ainda não está configurada. Peça a ${workspace} que a configure.`,
    oauth_attempt_invalid: ({ workspace }) =>
      t`${workspace} mudou algo nesse meio-tempo. Volte e comece de novo.`,
    oauth_issuer_mismatch: ({ tool }) =>
      t`A resposta não veio do site em que você entrou em ${tool}. Para sua segurança, interrompemos. Comece de novo.`,
    other_browser: ({ tool }) =>
      t`Você entrou em ${tool} em outro navegador. Para sua segurança, interrompemos. Comece de novo e use um só navegador.`,
    oauth_start_revoked: ({ workspace, tool }) =>
      t`${workspace} retirou esta solicitação, por isso ${tool} não foi conectado. Fale com ${workspace} se ainda quiser conectá-lo.`,
    provider_error: ({ tool }) =>
      t`${tool} não está respondendo no momento. Tente novamente em alguns minutos.`,
    provider_timeout: ({ tool }) =>
      t`${tool} demorou demais para responder. Tente novamente em alguns minutos.`,
    rate_limited: ({ tool }) =>
      t`${tool} está limitando as solicitações no momento. Espere um minuto e tente novamente.`,
    sign_in_overdue: ({ tool }) =>
      t`A entrada em ${tool} não foi concluída em 10 minutos. Comece de novo quando puder.`,
    sign_in_rejected: ({ workspace, tool }) =>
      t`Você entrou, mas ${tool} recusou depois o acesso concedido. Comece de novo; se continuar acontecendo, fale com ${workspace}.`,
    window_replaced: ({ tool }) =>
      t`Você abriu ${tool} de novo em outra janela. Feche esta e continue lá.`,
    wrong_host: ({ tool }) =>
      t`Não há nenhum ${tool} neste endereço. Confira-o ou copie-o do navegador com a sessão aberta.`,
    unknown: ({ workspace, tool }) =>
      t`${tool} deu uma resposta inesperada. Comece de novo; se continuar acontecendo, fale com ${workspace}.`,
  },
  setup: {
    start: ({ tool, workspace }) => ({
      title: t`Configurar ${tool} para ${workspace}`,
      body: t`Esta página é para quem administra ${tool} na sua organização. Ao continuar, ela funcionará apenas neste navegador.`,
    }),
    form: ({ tool, workspace }) => ({
      title: t`Configurar ${tool} para ${workspace}`,
      body: t`${workspace} se conecta a ${tool} com um aplicativo seu. Crie-o em ${tool} e informe os dados dele aqui.`,
    }),
    steps: ({ tool }) => t`Em ${tool}`,
    createApp: ({ tool }) =>
      t`Crie um aplicativo nas configurações para desenvolvedores de ${tool}.`,
    enterAddress: 'Informe a URI de redirecionamento abaixo como endereço permitido.',
    copyDetails: 'Copie o ID do cliente e o segredo do cliente.',
    redirectUri: 'URI de redirecionamento',
    redirectUriHelp: 'Copie exatamente, sem barra no final.',
    scopes: 'Permissões de que o aplicativo precisa',
    details: 'Dados do aplicativo',
    clientId: 'ID do cliente',
    issuer: 'Emissor (issuer)',
    issuerHelp:
      'O endereço do servidor onde se inicia sessão, por exemplo https://auth.example.com.',
    noIssuer: 'Nenhum servidor de início de sessão foi encontrado neste endereço.',
    clientSecret: 'Segredo do cliente',
    clientSecretHelp: 'Deixe vazio se o aplicativo não tiver um.',
    check: 'Verificar e salvar',
    saveAnyway: 'Salvar mesmo assim',
    note: ({ tool }) => t`O segredo é armazenado criptografado e enviado somente a ${tool}.`,
    failed:
      'A verificação encontrou um problema e nada foi salvo. Corrija-o e informe o segredo novamente, ou salve mesmo assim.',
    problems: {
      client: ({ tool }) => t`${tool} não conhece este ID do cliente, ou o segredo está errado.`,
      unreachable: ({ tool }) => t`${tool} não respondeu à verificação.`,
      redirectUri: ({ tool }) =>
        t`${tool} não aceita a URI de redirecionamento. Informe no aplicativo exatamente a que está acima.`,
      notAllowed: ({ workspace }) =>
        t`O segredo ainda não pode ser enviado a este endereço. Peça a ${workspace} que o permita.`,
    },
    saved: ({ tool, workspace }) => ({
      title: t`${tool} está configurado`,
      body: t`A partir de agora, sua organização conecta ${tool} a ${workspace} com o seu aplicativo. Você já pode conectá-lo.`,
    }),
    connectNow: 'Conectar agora',
  },
  agent: {
    start: ({ workspace }) => ({
      title: 'Um assistente precisa da sua resposta',
      body: t`Um assistente que trabalha para você quer fazer algo que só você pode permitir. Continue para ${workspace}, para sabermos que é você; depois você verá do que se trata.`,
    }),
    review: ({ workspace, tool }) => ({
      title: t`Permitir isto em ${tool}?`,
      body: t`Um assistente em ${workspace} quer enviar exatamente isto para ${tool}. O envio ocorre uma vez, e somente se você permitir.`,
    }),
    as: ({ account }) => t`Com a sua conexão ${account}`,
    details: 'Detalhes',
    content: 'Conteúdo',
    file: ({ count }) => `Um arquivo de ${number(count)} bytes, que não podemos mostrar.`,
    allow: 'Permitir uma vez',
    deny: 'Não permitir',
    allowed: () => ({
      title: 'Permitido',
      body: 'O assistente pode fazer isto uma vez, em até dez minutos após a pergunta. Você pode fechar esta página.',
    }),
    denied: () => ({
      title: 'Não permitido',
      body: 'Nada foi enviado. Você pode fechar esta página.',
    }),
    wrongPerson: ({ workspace }) => ({
      title: 'Isto é para outra pessoa',
      body: t`O assistente não pergunta a você, por isso nada foi mostrado nem permitido. Se alguém lhe enviou este link, avise ${workspace}.`,
    }),
    ended: () => ({
      title: 'Esta pergunta terminou',
      body: 'Ela já foi respondida, demorou demais ou foi aberta em outro navegador. Peça ao assistente que tente de novo.',
    }),
  },
  consent: {
    ask: ({ client, workspace }) => ({
      title: t`Permitir que ${client} use as suas conexões?`,
      body: t`${client} não faz parte de ${workspace}. Se você permitir, poderá usar o que você conectou a ${workspace}, agora e depois, até que ${workspace} encerre isso.`,
    }),
    from: ({ host }) => t`O que diz sobre si está publicado em ${host}.`,
    unverified: 'Registrou-se sozinho. Ninguém verificou o seu nome.',
    to: ({ host }) => t`A sua resposta vai para ${host}.`,
    local:
      'A sua resposta vai para um programa neste dispositivo. Permita somente se você acabou de começar a entrar por ele.',
    accounts: ({ workspace }) => t`As suas conexões a ${workspace}`,
    noAccounts: 'Nenhuma ainda',
    more: 'e outras',
    allowRead: 'Permitir leitura',
    allowWrite: 'Permitir leitura e alterações',
    invalid: {
      title: 'Este início de sessão não pode continuar',
      body: 'Nada foi permitido. Volte à sua aplicação e comece de novo. Se esta página voltar a aparecer, os programadores dela precisam destes dados:',
    },
  },
  sandbox: {
    title: 'Entrar no Acme Sandbox',
    body: 'Uma ferramenta de teste. As pessoas e os tickets são fictícios, e nada sai deste serviço.',
    access: 'O Linchpin pede para ler e criar tickets.',
    as: ({ account }) => `Continuar como ${account}`,
    deny: 'Recusar',
    invalid: {
      title: 'Este início de sessão não pode continuar',
      body: 'O pedido está incompleto. Volte atrás e comece de novo.',
    },
  },
  host: {
    title: 'Conectar uma ferramenta',
    loading: 'Carregando',
    failed: 'Não foi possível abrir. Feche e tente novamente em instantes.',
    notAllowed: 'Não é possível abrir aqui. Peça à empresa responsável por este site que permita.',
    close: 'Fechar',
  },
  labels: {
    'access token': 'Token de acesso',
    'account id': 'ID da conta',
    'account sid': 'SID da conta',
    address: 'Endereço',
    'admin api access token': 'Token de acesso à API Admin',
    'api access token': 'Token de acesso à API',
    'data center': 'Centro de dados',
    'account name': 'Nome da conta',
    'access key': 'Chave de acesso',
    'private key': 'Chave privada',
    'private api key': 'Chave de API privada',
    'public key': 'Chave pública',
    'app id': 'ID do aplicativo',
    'app api key': 'Chave de API do aplicativo',
    instance: 'Instância',
    workspace: 'Espaço de trabalho',
    'european union': 'União Europeia',
    'api key': 'Chave de API',
    'api secret': 'Segredo de API',
    'api token': 'Token de API',
    'application key': 'Chave do aplicativo',
    'auth token': 'Token Auth',
    'bot token': 'Token do bot',
    'client credentials': 'ID e segredo do cliente',
    'client id': 'ID do cliente',
    'client identifier': 'ID do cliente',
    'client secret': 'Segredo do cliente',
    'company domain': 'Domínio da empresa',
    'consumer key': 'Chave do consumidor',
    'consumer secret': 'Segredo do consumidor',
    domain: 'Domínio',
    'e-mail': 'E-mail',
    email: 'E-mail',
    'email address': 'Endereço de e-mail',
    'enterprise id': 'ID da empresa',
    environment: 'Ambiente',
    host: 'Host',
    'key secret': 'Segredo da chave',
    'key sid': 'SID da chave',
    name: 'Nome',
    organization: 'Organização',
    password: 'Senha',
    'personal access token': 'Token de acesso pessoal',
    'personal api token': 'Token de API pessoal',
    'personal token': 'Token pessoal',
    port: 'Porta',
    'project id': 'ID do projeto',
    'public api token': 'Token da API pública',
    region: 'Região',
    scopes: 'Permissões',
    secret: 'Segredo',
    'secret key': 'Chave secreta',
    'secret or restricted key': 'Chave secreta ou restrita',
    server: 'Servidor',
    'server api token': 'Token de API do servidor',
    'server to server': 'Servidor a servidor',
    'service account': 'Conta de serviço',
    'service key': 'Chave de serviço',
    'service region': 'Região do serviço',
    site: 'Site',
    store: 'Loja',
    'store address': 'Endereço da loja',
    subdomain: 'Subdomínio',
    tenant: 'Locatário',
    token: 'Token',
    url: 'URL',
    'user id': 'ID do usuário',
    'user name': 'Nome de usuário',
    username: 'Nome de usuário',
    australia: 'Austrália',
    canada: 'Canadá',
    china: 'China',
    europe: 'Europa',
    india: 'Índia',
    japan: 'Japão',
    'saudi arabia': 'Arábia Saudita',
    'united arab emirates': 'Emirados Árabes Unidos',
    'united kingdom': 'Reino Unido',
    'united states': 'Estados Unidos',
    global: 'Global',
    demo: 'Demonstração',
    live: 'Produção',
    production: 'Produção',
    sandbox: 'Sandbox',
    standard: 'Padrão',
  },
} satisfies Translation
