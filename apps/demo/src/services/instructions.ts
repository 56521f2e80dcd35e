/** Instructions for a client's model. */
export const instructions: string =
  "A project board. Open a card to get the actions that work on it; every column has actions of its own. " +
  "The tools change with the board, so list them again whenever you are notified of a change."
