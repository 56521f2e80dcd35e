/** What a client may tell its model about the board. */
export const instructions: string =
  "A project board. Open a card to get the actions that work on it; every column has actions of its own. " +
  "What can be done changes with the board, so list the tools again when told that they have changed."
