export default async function Rest({ params }) {
  const { rest } = await params
  return <p>{rest.join("/")}</p>
}
