const paths = {
  undo: "M9 14 4 9l5-5M4 9h10.5a5.5 5.5 0 0 1 0 11H11",
  redo: "m15 14 5-5-5-5M20 9H9.5a5.5 5.5 0 0 0 0 11H13",
  search: "M11 19a8 8 0 1 0 0-16 8 8 0 0 0 0 16ZM21 21l-4.3-4.3",
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
  light:
    "M12 17a5 5 0 1 0 0-10 5 5 0 0 0 0 10ZM12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4",
  dark: "M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5Z",
  eye: "M2 12s3.6-7 10-7 10 7 10 7-3.6 7-10 7S2 12 2 12ZM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6 6 18",
  archive: "M3 5h18v4H3zM5 9v10h14V9M10 13h4",
  comment: "M4 5h16v11H9l-5 4z",
  notes: "M5 7h14M5 12h14M5 17h8",
  check: "M5 13l4 4L19 7",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13",
  help: "M9.5 9a2.5 2.5 0 1 1 3.6 2.3c-.7.4-1.1 1-1.1 1.7v.5M12 17h.01M12 22a10 10 0 1 0 0-20 10 10 0 0 0 0 20Z",
  model: "M12 3l1.9 5.1L19 10l-5.1 1.9L12 17l-1.9-5.1L5 10l5.1-1.9ZM19 16v4M17 18h4",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  pen: "M4 20l1-5L16 4l4 4L9 19z",
}

/** Renders an icon, hidden from screen readers; the text beside it has its meaning. */
export function Icon({ of }: { readonly of: keyof typeof paths }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[of]} />
    </svg>
  )
}
