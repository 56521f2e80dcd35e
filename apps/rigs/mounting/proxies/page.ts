// A page behind the proxy: a basket that the person's model may fill.
import { action, createAgenticService } from "@x/agentic-service"
import { connectPage } from "@x/page-bridge"

const shop = createAgenticService({
  name: "shop",
  actions: {
    fill: action({
      description: "Puts something into the basket",
      execute: () => {
        document.body.dataset["basket"] = "full"
      },
    }),
  },
})
connectPage(shop).status.subscribe(({ state }) => {
  document.body.dataset["state"] = state
})
