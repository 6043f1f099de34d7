import { getFormatters } from './language.ts'
import { t } from './localized-text.ts'
import type { Messages } from './messages.ts'
import { ptPortal } from './portal/pt.ts'
import { ptStates } from './states/pt.ts'

const { number, plural } = getFormatters('pt')

/** Portuguese as written in Brazil. */
export const pt: Messages = {
  secured: 'Protegido por Linchpin',
  privacy: 'Privacidade',
  terms: 'Termos',
  thisApp: 'este aplicativo',
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
  states: ptStates,
  portal: ptPortal,
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
}
