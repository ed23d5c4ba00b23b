export const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** A name in camel case as words: `windowSeconds` as “Window seconds”. */
export const spelledOut = (name: string) =>
  capital(name.replace(/_|(?=[A-Z])/g, ' ').replace(/[A-Z]/g, (letter) => letter.toLowerCase()))
