import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import Landing from './Landing.vue'
import NotFound from './NotFound.vue'
import './style.css'

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'not-found': () => h(NotFound) }),
  enhanceApp({ app }) {
    app.component('landing', Landing)
  },
}
