/** Four values of the same shape, without common content. */
export const A = [todo("Write"), todo("Print")]
export const B = [todo("Read"), todo("Fold")]
export const C = [todo("Think"), todo("Post")]
export const D = [todo("Sleep"), todo("Wrap")]

function todo(title) {
  return { title, done: false }
}
