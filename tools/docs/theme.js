// The theme of the site: VitePress's own, with a button under each example that can run in a page.
import DefaultTheme from "vitepress/theme"
import LiveExample from "./live-example.vue"
import "./style.css"

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component("LiveExample", LiveExample)
  },
}
