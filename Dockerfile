# syntax=docker/dockerfile:1
# docker build -t imagebreaker .
# docker run --rm -p 127.0.0.1:8788:8788 -v imagebreaker:/data imagebreaker
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS TARGETARCH
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -ldflags='-s -w' -o /out/imagebreaker . \
 && mkdir -m 700 /out/data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/imagebreaker /imagebreaker
COPY --from=build --chown=65532:65532 /out/data /data
ENV IMAGEBREAKER_EVENTS=/data/events.jsonl IMAGEBREAKER_STATE=/data/repairs.json
USER 65532:65532
VOLUME /data
EXPOSE 8788
# A container's own loopback is reached by nobody else.
ENTRYPOINT ["/imagebreaker", "serve", "--listen", "0.0.0.0:8788", "--allow-remote"]
